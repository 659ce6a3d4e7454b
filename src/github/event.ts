import * as z from 'zod/mini';
import { isFromOutside, type Person, toPerson } from './changes.ts';

/*
 * The webhook payloads, as far as this action needs them: each schema makes an event of its payload. One that is not as
 * GitHub documents it counts as an event without a thread.
 */

const text = z.pipe(
  z.nullish(z.string()),
  z.transform((given) => given ?? ''),
);
const person = z.pipe(
  z.nullish(z.object({ login: z.string(), type: z.optional(z.string()) })),
  z.transform((user): Person => toPerson(user)),
);

export type Author = Person;

/** An issue or pull request. */
export interface ThreadRef {
  readonly number: number;
  /** How many comments it had when the event was sent, if the payload says. */
  readonly comments: number | undefined;
}

/** The issue or pull request of an event, as it was then. */
export type EventThread = Readonly<ReturnType<typeof threadOf>>;

const threadFields = z.object({
  number: z.number(),
  comments: z.optional(z.number()),
  title: z.optional(z.string()),
  body: z.nullish(z.string()),
  user: person,
  author_association: text,
});

function threadOf(
  { number, comments, title, body, user: author, author_association }: z.infer<typeof threadFields>,
  isPullRequest: boolean,
) {
  const said = { author, isFromOutside: isFromOutside(author_association) };
  /** What its author had written; `undefined` if the payload does not say. */
  const written =
    title === undefined || body === undefined ? undefined : { title, body: body ?? '', ...said };
  return { number, comments, isPullRequest, written };
}

const commentEvent = z.pipe(
  z.object({
    action: z.string(),
    comment: z.object({ id: z.number(), body: text, user: person }),
    issue: z.extend(threadFields, { pull_request: z.optional(z.looseObject({})) }),
  }),
  z.transform(({ action, comment: { id, body, user: author }, issue }) => ({
    kind: 'comment' as const,
    action,
    thread: threadOf(issue, issue.pull_request !== undefined),
    comment: { id, body, author },
  })),
);

const pushEvent = z.pipe(
  z.object({
    /** `refs/heads/…` or `refs/tags/…`. */
    ref: z.string(),
    /** All zeros for a new branch. */
    before: z.string(),
    after: z.string(),
    deleted: z.optional(z.boolean()),
    head_commit: z.nullish(z.object({ message: z.string() })),
    sender: person,
  }),
  z.transform(({ ref, before, after, deleted: isDeleted = false, head_commit, sender: pusher }) => {
    const message = head_commit?.message ?? '';
    return { kind: 'push' as const, ref, before, after, isDeleted, message, pusher };
  }),
);

const releaseEvent = z.pipe(
  z.object({ action: z.string(), release: z.object({ tag_name: z.string() }) }),
  z.transform(({ action, release }) => ({ kind: 'release' as const, action, tag: release.tag_name })),
);

/** Something was done with a pull request, or below with an issue, other than commenting. */
const pullRequestEvent = z.pipe(
  z.object({
    action: z.optional(z.string()),
    pull_request: z.extend(threadFields, {
      html_url: z.optional(z.string()),
      merged: z.nullish(z.boolean()),
      merge_commit_sha: z.nullish(z.string()),
      head: z.optional(z.object({ sha: z.string() })),
    }),
    sender: person,
  }),
  z.transform(({ action, pull_request: pull, sender: actor }) => {
    const isMerged = pull.merged === true;
    return {
      kind: 'thread' as const,
      thread: threadOf(pull, true),
      /** The commit that its merge made, or its head before that. */
      sha: (isMerged ? pull.merge_commit_sha : undefined) ?? pull.head?.sha,
      /** Who did it: opened, labelled, pushed, merged. */
      actor,
      /** Closed without being merged. */
      isRejected: action === 'closed' && !isMerged,
      /** Its address, if it was opened just now. */
      opened: action === 'opened' ? pull.html_url : undefined,
    };
  }),
);

const issueEvent = z.pipe(
  z.object({ issue: threadFields, sender: person }),
  z.transform(({ issue, sender: actor }) => {
    const none = { sha: undefined, isRejected: false, opened: undefined };
    return { kind: 'thread' as const, thread: threadOf(issue, false), actor, ...none };
  }),
);

const writing = z.nullish(z.object({ id: z.optional(z.number()), body: text, user: person }));

/** Something was written where commands are not read. Its author wrote it, even if someone else edited or deleted it. */
const otherCommentEvent = z.pipe(
  z.object({
    action: text,
    pull_request: z.optional(threadFields),
    comment: writing,
    review: writing,
    discussion: writing,
  }),
  z.transform(({ action, pull_request: pull, comment, review, discussion }) => {
    const { id, body = '', user: author = toPerson(null) } = comment ?? review ?? discussion ?? {};
    const thread = pull === undefined ? undefined : threadOf(pull, true);
    return { kind: 'other-comment' as const, action, id, thread, body, author };
  }),
);

/** A branch or a tag got commits, or was deleted. */
export type PushEvent = Readonly<z.infer<typeof pushEvent>>;

/** The event of the run. */
export type GitHubEvent =
  | Readonly<z.infer<typeof commentEvent>>
  | PushEvent
  | Readonly<z.infer<typeof releaseEvent>>
  | Readonly<z.infer<typeof pullRequestEvent> | z.infer<typeof issueEvent>>
  | Readonly<z.infer<typeof otherCommentEvent> & { name: string }>
  | { readonly kind: 'other'; readonly name: string };

/** Whether events of this name are about something that was written; only `issue_comment` can carry a command. */
export function isCommentEvent(name: string): boolean {
  return /^(?:issue_comment|commit_comment|discussion(?:_comment)?|pull_request_review(?:_comment)?)$/.test(
    name,
  );
}

/** Whether an event is what a person, perhaps a stranger, wrote or did: they need a permission. */
export function isSomebodysAct({ kind }: GitHubEvent): boolean {
  return kind !== 'other';
}

/** Reads the webhook payload. A comment that cannot be read is no command. */
export function parseEvent(name: string, payload: unknown): GitHubEvent {
  if (isCommentEvent(name)) {
    const command = name === 'issue_comment' ? commentEvent.safeParse(payload).data : undefined;
    return command ?? { name, ...(otherCommentEvent.safeParse(payload).data ?? otherCommentEvent.parse({})) };
  }
  const others = z.union([pullRequestEvent, issueEvent]);
  const schema = name === 'push' ? pushEvent : name === 'release' ? releaseEvent : others;
  return schema.safeParse(payload).data ?? { kind: 'other', name };
}

const repository = z.object({ full_name: z.string() });
const forkPayload = z.object({
  repository,
  pull_request: z.object({ head: z.object({ repo: z.nullish(repository) }) }),
});

/**
 * Whether GitHub starts such a run without secrets: pull requests of forks, and whatever Dependabot starts (GitHub's
 * documentation, "Using secrets in GitHub Actions" and "Troubleshooting Dependabot on GitHub Actions").
 */
export function comesWithoutSecrets(payload: unknown, actor: string): boolean {
  if (actor === 'dependabot[bot]') return true;
  const { data } = forkPayload.safeParse(payload);
  return data !== undefined && data.pull_request.head.repo?.full_name !== data.repository.full_name;
}
