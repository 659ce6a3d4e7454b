import * as z from 'zod/mini';

/** A comment of an issue or pull request. */
export interface ThreadComment {
  readonly id: number;
  readonly body: string;
  readonly login: string;
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** When it was last written, in milliseconds since the epoch. */
  readonly editedAtMs: number;
  /** Whether it still is as it was written. */
  readonly unedited: boolean;
}

/** A comment found without knowing its thread. */
export interface RepositoryComment extends ThreadComment {
  /** The number of the issue or pull request that it stands in. */
  readonly thread: number;
}

export const commentAnswer = z.object({
  id: z.number(),
  body: z.nullish(z.string()),
  html_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.nullish(z.object({ login: z.string() })),
});

export const commentSchema = z.pipe(commentAnswer, z.transform(toComment));
export const reactionSchema = z.object({ id: z.number(), content: z.string() });
export const reactionsSchema = z.array(
  z.object({ id: z.number(), user: z.nullish(z.object({ login: z.string() })) }),
);
/** What octokit makes of a 204. */
export const noContentSchema = z.literal('');
export const permissionSchema = z.object({
  permission: z.string(),
  role_name: z.prefault(z.string(), ''),
});
export const runSchema = z.object({ created_at: z.string() });

export function toComment(answer: z.infer<typeof commentAnswer>): ThreadComment {
  const { id, body, html_url, created_at, updated_at, user } = answer;
  return {
    id,
    body: body ?? '',
    login: user?.login ?? 'ghost',
    url: html_url,
    createdAtMs: Date.parse(created_at),
    editedAtMs: Date.parse(updated_at),
    unedited: updated_at === created_at,
  };
}
