/** Thrown where an API refuses a request; carries the answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** What the client did that no correct client does; `undefined` for refusals that can happen to any client. */
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

/** What is wrong with a body that must be a JSON object with one field, a string; `undefined` if it is right. */
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
