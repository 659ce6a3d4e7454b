/** A world saying no: the status, the body and the headers its API answers with. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** What the client did that it must never do; absent where the refusal is ordinary life. */
  readonly violation: string | undefined;

  constructor(
    status: number,
    body: unknown,
    options: { headers?: Readonly<Record<string, string>>; violation?: string } = {},
  ) {
    super(`Refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = options.headers ?? {};
    this.violation = options.violation;
  }
}

/** A body that must be a JSON object with exactly these string fields; says what is wrong with it otherwise. */
export function wrongBody(body: unknown, field: string): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return 'the body is not a JSON object';
  const unknown = Object.keys(body).filter((key) => key !== field);
  if (unknown.length > 0)
    return `${unknown.map((key) => JSON.stringify(key)).join(', ')} is not a permitted key`;
  const value: unknown = Reflect.get(body, field);
  if (typeof value !== 'string') return `${field} must be a string`;
  return undefined;
}
