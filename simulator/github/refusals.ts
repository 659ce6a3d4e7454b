import { Refusal, type RefusalDetails } from '../http/api.ts';

/** A refusal in the form of GitHub's errors. */
export function refuse(
  status: number,
  message: string,
  { errors, ...details }: RefusalDetails & { readonly errors?: readonly unknown[] } = {},
): Refusal {
  const body = {
    message,
    errors,
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  };
  return new Refusal(status, body, details);
}

export function notFound(violation?: string): Refusal {
  return refuse(404, 'Not Found', { violation });
}
