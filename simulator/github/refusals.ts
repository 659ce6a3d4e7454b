import { Refusal } from '../http/refusal.ts';

export function notFound(violation?: string): Refusal {
  return refuse(404, 'Not Found', violation);
}

/** A refusal in GitHub's shape. */
export function refuse(
  status: number,
  message: string,
  violation?: string,
  errors?: readonly unknown[],
): Refusal {
  const body = {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  };
  return new Refusal(status, body, violation === undefined ? {} : { violation });
}
