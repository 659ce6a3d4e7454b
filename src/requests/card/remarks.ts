import { parsePullRequest } from '../../core/address.ts';
import type { Cap } from '../../core/cap.ts';
import { pluralize } from '../../text/counts.ts';
import { formatTime } from '../../text/duration.ts';
import { code } from '../../text/markdown.ts';

/* Sentences that a run stores in a card, as Markdown: remarks, and why something happened. */

const howToSee =
  'add `pull-requests: read` or, for another repository, a `docs-token` that can see it';

/** Why a prompt goes to a new job although there is an earlier one. */
export const whyNew = {
  notFound:
    'We found no request here that led to this pull request (it may have been requested in another repository or with a different API key); this is a new job.',
  ended(of: 'thread' | 'pull request', jobId: string, how: 'is archived' | 'no longer exists') {
    const whose = of === 'thread' ? 'The thread’s' : 'This pull request’s';
    return `${whose} job ${code(jobId)} ${how}; this is a new job.`;
  },
  pullEnded: (jobId: string, how: 'merged' | 'closed') =>
    `The pull request of job ${code(jobId)} was ${how}; this is a new job.`,
  otherKey: (where: 'in this thread' | 'of this workflow') =>
    `Earlier requests ${where} were made with another API key, so this is a new job.`,
  unseen: (url: string) =>
    `The token can’t see [the last pull request](<${url}>), so this is a new job. To add later changes to one pull request, ${howToSee}.`,
  startedOver: (jobId: string, status: string) =>
    `The previous run’s job, ${code(jobId)}, has ended (${status}); this is a new job.`,
} as const;

export const remarks = {
  unseenPull: `The token can’t see the pull request, so this comment won’t say when it is merged. To change that, ${howToSee}.`,
  quoteCut: 'The message that the email quoted wasn’t sent.',
  unseenSince: `The token can’t see a pull request that an earlier run saw, so its status comment may be out of date. To change that, ${howToSee}.`,
  /** The service rejected a prompt because of its size. */
  sentWithoutPatches: 'The service rejected the prompt, so it was sent again without the patches.',
  /** This run sent nothing, because it was lost for so long that others may have acted. */
  paused: 'The machine was paused for too long, or GitHub couldn’t be reached.',
  /** @param why as Markdown, without a period. */
  noReview: (reviewer: string, why: string) =>
    `No review was requested from ${code(reviewer)}: ${why}.`,
} as const;

/** Why a request isn't sent. */
export const whyNot = {
  newerVersion: 'A newer version of this action wrote a comment that this version can’t read',
  /** `freeAtMs`: when the next request can be sent. */
  capReached(cap: Cap, sent: number, freeAtMs: number) {
    const period = cap.days === 1 ? '24 hours' : `${cap.days} days`;
    const next = `The next request can be sent on ${formatTime(freeAtMs)}.`;
    return {
      what: `The cap of ${pluralize(cap.max, 'request')} a ${cap.per} has been reached`,
      hint: `${next} Sent in the last ${period}: ${sent}. \`max-jobs\` sets the cap.`,
    };
  },
  tooManyToCount: ({ per }: Cap) => ({
    what: `There are too many comments to count the requests of the last ${per} for \`max-jobs\``,
    hint: 'Use a shorter period in `max-jobs`, such as `20 per day`. If it’s already `per day`, wait, or remove `max-jobs`.',
  }),
  /** @param hint the cause, and what to do. */
  unrecorded: (hint: string) => ({
    what: '`max-jobs` counts status comments, and this run can’t write one here',
    hint,
  }),
  /** The agent's pull requests at these URLs are open, so `max-open` is reached. */
  tooManyOpen(urls: readonly string[]) {
    const links = urls.map((url) => `[#${parsePullRequest(url)?.number}](<${url}>)`).join(', ');
    const open = pluralize(urls.length, 'open pull request');
    return `The agent has ${open}, as many as \`max-open\` allows: ${links}. Merge or close one, and re-run the workflow.`;
  },
  uncounted: (url: string) =>
    `\`max-open\` didn’t count [this pull request](<${url}>), because the token can’t see it.`,
  statusDeleted: 'The status comment was deleted before anything was sent.',
  /** For a later attempt whose thread can't be written. @param what the cause, without a period. */
  mayBeSent: (what: string) =>
    `${what}. An earlier attempt may have sent this request without recording it, so this one sends nothing. Ask again only if the service’s dashboard doesn’t show it.`,
} as const;
