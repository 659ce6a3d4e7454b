import { fenced, paragraphs, shortCode } from '../text/markdown.ts';
import { bold, type Phrase, say, toMarkdown } from '../text/phrase.ts';
import type { Permission } from './inputs.ts';

/* What agent mode says by itself: its replies to commands, and why it skips a run. */

/** A reply: its first line, and the rest as Markdown. */
export interface Reply {
  readonly line: Phrase;
  readonly rest?: string;
}

/** Why runs are skipped for reasons that need no details, for the log. */
export const whySkipped: Readonly<Record<string, string>> = {
  'another-run': 'another run is already working on this request.',
  deleted: 'the comment was deleted before the run got to it.',
  'part-of-review': 'the comment is part of a review, and is sent with it.',
};

/** Why a person isn't allowed to use the agent, or why this can't be checked. */
export type Refusal =
  | {
      readonly reason: 'permission';
      /** `undefined` if GitHub doesn't say who it is. */
      readonly login?: string;
      /** The command, if they wrote one. */
      readonly command?: string | undefined;
      readonly needs?: Permission;
      readonly has?: Permission | 'none';
    }
  | { readonly reason: 'permission-unknown'; readonly login: string; readonly why: string };

/** The reply to a person who isn't let in: its bold part, and the rest. */
export function refusalText(refusal: Refusal): readonly [headline: Phrase, more: string] {
  if (refusal.reason === 'permission-unknown')
    return [
      say`The permission of ${shortCode(refusal.login)} couldn’t be checked, so nothing was sent to the agent.`,
      refusal.why,
    ];
  if (refusal.login === undefined) return [say`GitHub doesn’t say who triggered the event.`, ''];
  const { login, command, needs, has } = refusal;
  return [
    say`${shortCode(login)} ${command === undefined ? 'triggered this run, but' : `can’t use \`${command}\` here:`}`,
    `sending requests requires \`${needs}\` permission, but they have \`${has}\`.`,
  ];
}

/** The reply to bad inputs if no status comment can be signed. @param hint Markdown */
export function badInputs(what: string, hint: string | undefined): string {
  return `❌ **${what}.** Nothing was sent to the agent.\n\n${hint}`;
}

/** The reply to `status` in a thread without a known job. */
export function noJob(why: 'unreadable' | 'unconfirmed' | 'other key' | 'none'): Reply {
  const lines = {
    unreadable: say`⚠️ ${bold`This run can’t read the thread to find its newest job.`}`,
    unconfirmed: say`⚠️ ${bold`We can’t tell whether a job was started in this thread:`} the request’s status comment says why.`,
    'other key': say`⚠️ ${bold`Earlier runs in this thread used a different API key, so we can’t tell which jobs they started.`}`,
    none: say`☑️ ${bold`No job for this project has been started in this thread yet.`}`,
  };
  return { line: lines[why] };
}

/** The reply to `status` if the service doesn't have the job. */
export function missingJob(jobId: string, isNew: boolean): Reply {
  const job = shortCode(jobId);
  const line = isNew
    ? say`⏳ ${bold`The service doesn’t have job ${job} yet.`} Try again in a few minutes.`
    : say`⚠️ ${bold`The thread’s newest job no longer exists:`} ${job}.`;
  return { line };
}

/** The reply to `help`, or to a command that can't be parsed. `because` says what is wrong with such a command. */
export function helpText(command: string, because: string | undefined): Reply {
  const what = bold`\`${command} …\` asks the documentation service’s writing agent for a change and posts a link to its pull request.`;
  const examples = [
    `${command} add a quickstart for the Python SDK`,
    `${command} fix the broken links on /install`,
    `${command} --new explain rate limits`,
  ];
  const rules = [
    `- In a thread that has a job, \`${command} …\` continues that job; \`${command} --new …\` starts a new one.`,
    `- \`${command} --no-wait …\` starts the job without waiting for the result.`,
    `- \`${command} status\` shows the progress of the thread’s newest job.`,
    '- The command comes first in the comment; everything after it, on any line, is the prompt.',
  ];
  const rest = [fenced(examples.join('\n')), rules.join('\n')];
  return because === undefined
    ? { line: say`ℹ️ ${what}`, rest: paragraphs(rest) }
    : { line: say`⚠️ ${bold`${because}`}`, rest: paragraphs([toMarkdown(what), ...rest]) };
}
