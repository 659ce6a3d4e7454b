import type { Card, Ending } from '../requests/card/card.ts';
import type { Job } from '../service/schemas.ts';
import { formatDuration, formatTime } from '../text/duration.ts';
import { code, codeBlock, paragraphs } from '../text/markdown.ts';
import { bold, type Phrase, say, toMarkdown } from '../text/phrase.ts';
import type { Permission } from './permission.ts';

/* What agent mode says by itself: its replies to commands, and why it skips a run. */

/** Why runs are skipped for reasons that need no details, for the log. */
const skips: Readonly<Record<string, string>> = {
  'another-run': 'another run is already working on this request.',
  deleted: 'the comment was deleted before the run got to it.',
  'part-of-review': 'the comment is part of a review, and is sent with it.',
};

/** Why a run was skipped; `undefined` if it wasn't. */
export function whySkipped({ because, reason }: Ending): string | undefined {
  return because ?? skips[reason];
}

/** Why a person whose permission can't be checked isn't let in. */
export function explainUnchecked(login: string, why: string) {
  const name = code(login);
  const headline = bold`The permission of ${name} couldn’t be checked, so nothing was sent.`;
  return { reason: 'permission-unknown', says: say`${headline} ${why}` } as const;
}

/** Why a person without the permission isn't let in. */
export function explainDenial(login: string, card: Card, needs: Permission, has: string) {
  const problem = card.isCommand
    ? `can’t use \`${card.command}\` here:`
    : 'triggered this run, but can’t send requests:';
  const headline = bold`${code(login)} ${problem}`;
  const says = say`${headline} it takes \`${needs}\` permission, and they have \`${has}\`.`;
  return { reason: 'permission', says } as const;
}

const uncertain = bold`We can’t tell whether a job was started in this thread:`;
const differentKey = 'Earlier runs in this thread used a different API key';

/** The replies to `status` if no job is known. */
export const noJob = {
  unreadable: say`⚠️ ${bold`This run can’t read the thread to find its newest job.`}`,
  sending: say`⏳ ${bold`A request is being sent.`} Its status comment will show the job.`,
  unconfirmed: say`⚠️ ${uncertain} the request’s status comment says why.`,
  otherKey: say`⚠️ ${bold`${differentKey}, so we can’t tell which jobs they started.`}`,
  notStarted: say`☑️ ${bold`No job has been started in this thread yet.`}`,
  none: say`☑️ ${bold`Nothing has been requested in this thread yet.`}`,
};

/** The reply to `status` if the service doesn't have the job. */
export function describeMissingJob(jobId: string, isNew: boolean): Phrase {
  const job = code(jobId);
  if (isNew)
    return say`⏳ ${bold`The service doesn’t have job ${job} yet.`} Try again in a few minutes.`;
  return say`⚠️ ${bold`The thread’s newest job no longer exists:`} ${job}.`;
}

/**
 * The first line of the reply to `status` while the job runs. The reply stays in the thread, so it
 * says when it was true.
 */
export function describeRunningJob({ status, createdAt }: Job, nowMs: number): Phrase {
  const ageMs = nowMs - Date.parse(createdAt ?? '');
  const started = Number.isNaN(ageMs) ? '' : `, ${formatDuration(ageMs)} after it started`;
  const unknown = `The job’s status is ${code(status)}`;
  const still = status === 'active' ? 'Still working' : unknown;
  return say`⏳ ${bold`${still}`} as of ${formatTime(nowMs)}${started}.`;
}

/** The reply to `help`, or to a command that can't be parsed because of a `mistake`. */
export function helpText(command: string, mistake: string | undefined) {
  const ask = `${command} …`;
  const asks = `\`${ask}\` asks the documentation service’s writing agent for a change`;
  const purpose = bold`${asks} and posts a link to its pull request.`;
  const examples = [
    `${command} add a quickstart for the Python SDK`,
    `${command} fix the broken links on /install`,
    `${command} --new explain rate limits`,
  ];
  const rules = [
    `- Another \`${ask}\` here continues the last request; \`${command} --new …\` starts over.`,
    `- \`${command} --no-wait …\` starts the job without waiting for the result.`,
    `- \`${command} status\` shows the progress of the thread’s newest job.`,
    '- The command comes first in the comment; everything after it, on any line, is the prompt.',
  ];
  const details = [codeBlock(examples.join('\n')), rules.join('\n')];
  if (mistake === undefined) return { line: say`ℹ️ ${purpose}`, rest: paragraphs(details) };
  return {
    line: say`⚠️ ${bold`${mistake}`}`,
    rest: paragraphs([toMarkdown(purpose), ...details]),
  };
}
