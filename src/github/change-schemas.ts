import * as z from 'zod/mini';
import type {
  ChangedFile,
  Commit,
  Issue,
  ListedPullRequest,
  ListedRelease,
  Person,
  PullRequest,
  Release,
  WrittenText,
} from './changes.ts';
import { isFromOutside } from './insiders.ts';
import { commentAnswer, type RepositoryComment, toComment } from './schemas.ts';

const user = z.nullish(z.object({ login: z.string(), type: z.optional(z.string()) }));
type User = z.infer<typeof user>;

/** Without `body_text` beside a body, nobody knows what its readers see. */
const written = {
  body: z.nullish(z.string()),
  body_text: z.nullish(z.string()),
};
type Written = z.infer<z.ZodMiniObject<typeof written>>;
const isRendered = z.refine<Written>(({ body, body_text }) => (body ?? '') === '' || body_text != null);

const opened = {
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  user,
  author_association: z.string(),
  labels: z.array(z.union([z.string(), z.object({ name: z.nullish(z.string()) })])),
};
type Opened = z.infer<z.ZodMiniObject<typeof opened>>;

const branch = z.object({ sha: z.string(), ref: z.string() });
const listedPullRequest = {
  ...opened,
  state: z.string(),
  merged_at: z.nullish(z.string()),
  merge_commit_sha: z.nullish(z.string()),
  head: branch,
  base: branch,
};
type ListedPullRequestAnswer = z.infer<z.ZodMiniObject<typeof listedPullRequest>>;

const issue = z.object({ ...opened, ...written }).check(isRendered);
export const issueSchema = z.pipe(
  issue,
  z.transform((answer: z.infer<typeof issue>): Issue => ({ ...toOpened(answer), body: toText(answer) })),
);

const pullRequest = z
  .object({ ...listedPullRequest, ...written, changed_files: z.number() })
  .check(isRendered);
export const pullRequestSchema = z.pipe(
  pullRequest,
  z.transform(
    (answer: z.infer<typeof pullRequest>): PullRequest => ({
      ...toListedPullRequest(answer),
      body: toText(answer),
      changedFiles: answer.changed_files,
    }),
  ),
);
export const listedPullRequestsSchema = z.array(
  z.pipe(z.object(listedPullRequest), z.transform(toListedPullRequest)),
);
export const stateSchema = z.object({ state: z.string() });

const statuses = ['added', 'removed', 'modified', 'renamed', 'copied', 'changed', 'unchanged'] as const;
const file = z.object({
  filename: z.string(),
  previous_filename: z.nullish(z.string()),
  // What has a status that nobody knows yet has changed all the same.
  status: z.catch(z.enum(statuses), 'changed'),
  additions: z.number(),
  deletions: z.number(),
  patch: z.nullish(z.string()),
});
export const filesSchema = z.array(z.pipe(file, z.transform(toFile)));

const commit = z.object({
  sha: z.string(),
  parents: z.array(z.object({ sha: z.string() })),
  commit: z.object({
    message: z.string(),
    committer: z.object({ date: z.string() }),
    tree: z.object({ sha: z.string() }),
  }),
});
export const commitSchema = z.pipe(commit, z.transform(toCommit));
export const commitsSchema = z.array(commitSchema);

export const comparisonSchema = z.object({
  status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
  merge_base_commit: commit,
  commits: z.array(commit),
  total_commits: z.number(),
  files: filesSchema,
});

export const treeSchema = z.object({
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string() })),
  truncated: z.boolean(),
});

const listedRelease = {
  tag_name: z.string(),
  name: z.nullish(z.string()),
  html_url: z.string(),
  prerelease: z.boolean(),
  author: user,
};
type ListedReleaseAnswer = z.infer<z.ZodMiniObject<typeof listedRelease>>;
const release = z.object({ ...listedRelease, ...written, published_at: z.string() }).check(isRendered);
export const releaseSchema = z.pipe(
  release,
  z.transform(
    (answer: z.infer<typeof release>): Release => ({
      ...toListedRelease(answer, answer.published_at),
      notes: toText(answer),
    }),
  ),
);
/** Drafts are `undefined`: they are not published. */
export const releasesSchema = z.array(
  z.pipe(
    z.object({ ...listedRelease, draft: z.boolean(), published_at: z.nullish(z.string()) }),
    z.transform(({ draft, published_at: at, ...answer }) =>
      draft || at == null ? undefined : toListedRelease(answer, at),
    ),
  ),
);

const repositoryComment = z.extend(commentAnswer, { issue_url: z.string().check(z.regex(/\/\d+$/)) });
export const repositoryCommentsSchema = z.array(
  z.pipe(
    repositoryComment,
    z.transform(
      (answer: z.infer<typeof repositoryComment>): RepositoryComment => ({
        ...toComment(answer),
        thread: Number(answer.issue_url.split('/').at(-1)),
      }),
    ),
  ),
);

function toOpened({ number, html_url: url, title, user, author_association, labels }: Opened) {
  return {
    number,
    url,
    title,
    author: toPerson(user),
    isFromOutside: isFromOutside(author_association),
    labels: labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
  };
}

function toListedPullRequest(answer: ListedPullRequestAnswer): ListedPullRequest {
  const { state, merged_at, merge_commit_sha, head, base } = answer;
  const isMerged = merged_at != null;
  return {
    ...toOpened(answer),
    isOpen: state === 'open',
    isMerged,
    // Before the merge it is a commit that only tries it out.
    mergeCommitSha: isMerged ? (merge_commit_sha ?? undefined) : undefined,
    headSha: head.sha,
    headRef: head.ref,
    baseSha: base.sha,
    baseRef: base.ref,
  };
}

function toFile({
  filename,
  previous_filename,
  status,
  additions,
  deletions,
  patch,
}: z.infer<typeof file>): ChangedFile {
  const isUntold = patch == null && additions === 0 && deletions === 0;
  return {
    path: filename,
    oldPath: previous_filename ?? undefined,
    status,
    lines: isUntold ? undefined : { added: additions, removed: deletions },
    patch: patch ?? undefined,
  };
}

export function toCommit({ sha, parents, commit: { message, committer } }: z.infer<typeof commit>): Commit {
  return {
    sha,
    parents: parents.map((parent) => parent.sha),
    message,
    committedAtMs: Date.parse(committer.date),
  };
}

function toListedRelease(answer: ListedReleaseAnswer, publishedAt: string): ListedRelease {
  const { tag_name: tag, name, html_url: url, prerelease: isPrerelease, author } = answer;
  return {
    tag,
    name: name == null || name === '' ? tag : name,
    isPrerelease,
    url,
    author: toPerson(author),
    publishedAtMs: Date.parse(publishedAt),
  };
}

function toPerson(from: User): Person {
  return { login: from?.login ?? 'ghost', isBot: from?.type === 'Bot' };
}

function toText({ body, body_text }: Written): WrittenText {
  const [source, rendered] = [body ?? '', body_text ?? ''];
  // GitHub shows a diagram drawn, and its readers none of the comments in it.
  const hasDiagram = /^\s*(?:```|~~~)+\s*mermaid/im.test(source);
  return { source, rendered: hasDiagram ? rendered.replace(/^\s*%%.*$/gm, '') : rendered };
}
