import { Refusal } from '../http/api.ts';

export interface RefusalDetails {
  /** What the client did that no correct client does. */
  readonly violation?: string;
  readonly errors?: readonly unknown[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with a body as GitHub's errors have it. */
export function refuse(status: number, message: string, details: RefusalDetails = {}): Refusal {
  const { violation, errors, headers } = details;
  const body = {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  };
  return new Refusal(status, body, {
    ...(violation === undefined ? {} : { violation }),
    ...(headers === undefined ? {} : { headers }),
  });
}

export function notFound(violation?: string): Refusal {
  return refuse(404, 'Not Found', violation === undefined ? {} : { violation });
}
