import * as z from 'zod/mini';
import { mapped } from '../core/mapped.ts';
import { isFromOutside, toPerson } from './changes.ts';

/* The parts that several kinds of webhook payloads share. */

export const payloadText = mapped(z.nullish(z.string()), (given) => given ?? '');
const user = z.object({ login: z.string(), type: z.optional(z.string()) });
export const account = mapped(user, toPerson);
export const payloadAuthor = mapped(z.nullish(user), toPerson);
/** The issue or pull request of an event, as it was at the time of the event. */
export type EventThread = Readonly<ReturnType<typeof threadOf>>;

export const threadFields = z.object({
  number: z.number(),
  html_url: z.optional(z.string()),
  created_at: z.optional(z.string()),
  title: z.optional(z.string()),
  body: z.nullish(z.string()),
  user: payloadAuthor,
  author_association: payloadText,
});

export function threadOf(
  { number, title, body, user: author, author_association, ...thread }: z.infer<typeof threadFields>,
  isPullRequest: boolean,
) {
  const said = { author, isFromOutside: isFromOutside(author_association) };
  /** The title and body at the time of the event; `undefined` if the payload doesn't contain them. */
  const written =
    title === undefined || body === undefined ? undefined : { title, body: body ?? '', ...said };
  const { html_url: url, created_at: at } = thread;
  /** The URL and the time it was opened; `undefined` if the payload doesn't contain them. */
  const opened = url && at ? { url, createdAtMs: Date.parse(at) } : undefined;
  return { number, isPullRequest, opened, written };
}
