import type { RunContext } from '../../runner/context.ts';
import { formatDuration } from '../../text/duration.ts';
import { cell, fenced, table } from '../../text/markdown.ts';
import { jobOf, type Known, type Tellable } from '../known.ts';
import type { Refusal } from '../request/gate.ts';
import type { Session } from '../session.ts';
import { pullRequestOf } from './ending.ts';
import { facts, promptBlock, remarks } from './folded.ts';
import { lineWithSign, type State, wordsFor } from './words.ts';

export interface View {
  readonly state: State;
  readonly known: Known;
  readonly context: RunContext;
}

/**
 * The status comment below its marker: in the open how it stands and what to do, the rest folded. It stays far below GitHub's
 * limit whatever it has to tell.
 */
export function statusComment({ state, known, context }: View): string {
  const details = facts(known, context).map(([name, value]) => `${name}: ${value}`);
  return paragraphs([
    ...told(state, known),
    '<details><summary>Request</summary>',
    ...remarks(known),
    ...promptBlock(known),
    details.join(' · '),
    '</details>',
  ]);
}

/** What is folded away in a status comment: the first such line outside of a block of code. */
const codeOrFolded = /^(`{3,})text\n[\s\S]*?\n\1$|^<details>[\s\S]*/gm;

/** A status comment as it stands, with another state told in the open. */
export function retold(comment: string, state: State, known: Tellable): string {
  const parts = comment.match(codeOrFolded) ?? [];
  const folded = parts.find((part) => part.startsWith('<details>')) ?? '';
  return paragraphs([...told(state, known), folded]);
}

/** What a status comment tells in the open. */
function told(state: State, known: Tellable): string[] {
  const { sign, headline, more, next } = wordsFor(state, known);
  return [`${sign} **${headline}** ${more}`.trimEnd(), state.error?.markdown ?? '', next.join('\n')];
}

/** The status comment of a run that goes on. */
export function ongoingComment(outcome: 'starting' | 'working', { known, deps }: Session): string {
  return statusComment({ state: { outcome, reason: '' }, known, context: deps.context });
}

/** The job summary of agent mode. */
export function jobSummary({ state, known, context }: View): string {
  const words = wordsFor(state, known);
  const [headline, answer] = known.answer === undefined ? [lineWithSign(words), ''] : headed(known.answer);
  const link = state.outcome === 'pr-created' ? undefined : pullRequestOf(jobOf(known));
  const rows = [
    ...facts(known, context).filter(([name]) => name !== 'Run'),
    ...(state.tookMs === undefined ? [] : [['Time taken', formatDuration(state.tookMs)]]),
    // Of an earlier request: the headline has the link of this one.
    ...(link === undefined ? [] : [['Pull request', `<${link.url}>`]]),
    ...(known.status.comment === undefined ? [] : [['Comment', `<${known.status.comment.url}>`]]),
  ];
  return `${paragraphs([
    `### ${headline}`,
    state.error?.markdown ?? '',
    answer,
    words.next.join('\n'),
    ...remarks(known),
    table(
      ['Outcome', `\`${state.outcome}\` (\`${state.reason}\`)`],
      rows.map((row) => row.map(cell)),
    ),
    known.prompt === undefined ? '' : '<details><summary>Prompt</summary>',
    ...promptBlock(known),
    known.prompt === undefined ? '' : '</details>',
  ])}\n`;
}

/** The first line of an answer is its headline. */
export function headed(answer: string): [headline: string, rest: string] {
  const [first = '', ...rest] = answer.split('\n');
  return [first.replaceAll('**', ''), rest.join('\n').trim()];
}

/** The job summary of a change that the docs need not follow. */
export function skippedSummary(because: string): string {
  return `### ☑️ Nothing was asked of the agent\n\n${because}\n`;
}

/** The answer to `help`: the command as it is configured, and how it works; before that why it was not understood, as Markdown. */
export function helpComment(command: string, because: string | undefined): string {
  return paragraphs([
    because === undefined ? '' : `⚠️ **${because}**`,
    `${because === undefined ? 'ℹ️ ' : ''}**\`${command} …\` asks the documentation service’s writing agent for a change and brings back a pull request.**`,
    fenced(
      [
        `${command} add a quickstart for the Python SDK`,
        `${command} fix the broken links on the installation page`,
        `${command} --new explain rate limits, with an example in curl`,
      ].join('\n'),
    ),
    [
      `- In a thread that has a job, \`${command} …\` continues that job; \`${command} --new …\` starts another.`,
      `- \`${command} --no-wait …\` leaves the job running and reports no end.`,
      `- \`${command} status\` tells how the thread’s newest job stands; it asks for nothing.`,
      '- The command stands first in the comment. All that follows it, on this and the next lines, is the prompt.',
    ].join('\n'),
  ]);
}

/** The one reply to somebody who may not command. */
export function deniedComment({ headline, more }: Refusal): string {
  return `🚫 **${headline}** ${more}`;
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
