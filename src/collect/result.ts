import type { Project } from '../core/inputs/projects.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { type Card, endingOf, jobOf } from '../requests/card.ts';
import type { Open } from '../requests/claims.ts';
import { pullRequestOf } from '../requests/job.ts';
import type { Saved } from '../requests/saver.ts';
import { lineWithSign, wordsFor } from '../requests/words.ts';
import { firstFew } from '../text/first-few.ts';
import { capped, cell, code, codeCell, table } from '../text/markdown.ts';
import type { CollectConfig } from './inputs.ts';

/** Characters of a job's id in a table. */
const shownIdCharacters = 100;

/** An open comment after one look at its job. */
export interface Collected {
  readonly project: Project;
  readonly open: Open;
  /** The card as it is now: the same one if its job is at work, `undefined` if the job could not be seen. */
  readonly card: Card | undefined;
  /** What came of writing its end, if there was one. */
  readonly saved: Saved | undefined;
}

/** What a run has not done, in sentences of Markdown. */
interface Remains {
  /** What it has not even looked at. */
  readonly unseen: readonly string[];
  /** Why open comments are left that it has looked at, if any are. */
  readonly whyLeft: readonly string[];
  /** What no run can do. */
  readonly notes: readonly string[];
}

/** How many reasons are told; the others are counted. */
const mostReasons = 5;

/** The end of a run that looked through all threads: outputs, the table, and whether the step turns red. */
export function collectedResult(
  all: readonly Collected[],
  { unseen, whyLeft, notes }: Remains,
  { failOn, projects }: CollectConfig,
): ModeResult {
  const finished = all.filter(({ open, card, saved }) => card !== open.card && saved === 'saved');
  const atWork = all.filter(({ open, card }) => card === open.card);
  // Not those where somebody else has written meanwhile.
  const left = all.filter(({ card, saved }) => card === undefined || saved === 'failed');
  const leftLine = [`Left for the next run: ${left.length}.`, ...firstFew(whyLeft, mostReasons)].join(' ');
  const missing = left.length === 0 ? unseen : [leftLine, ...unseen];
  const isComplete = missing.length === 0;
  const red = !isComplete && failOn.has('incomplete');
  const counts = { finished: finished.length, stillActive: atWork.length, left: left.length };
  const isNamed = projects.length > 1;
  const givenUp = finished.filter(({ card }) => card?.stop?.reason === 'given-up').length;
  const ofThem = givenUp === 0 ? '' : ` (given up: ${givenUp})`;
  const headline = `Brought to their end: ${finished.length}${ofThem}. Still at work: ${atWork.length}.`;
  return {
    result: {
      mode: 'collect',
      outcome: 'collected',
      reason: isComplete ? 'complete' : 'incomplete',
      ...counts,
      jobs: [...finished, ...atWork].map((one) => ({
        ...(isNamed ? { project: one.project.id } : {}),
        ...detailsOf(one),
      })),
    },
    outputs: { finished: `${counts.finished}`, 'still-active': `${counts.stillActive}` },
    summary: summary(headline, [...missing, ...notes], [...finished, ...atWork], { isNamed }),
    message: {
      level: red ? 'error' : isComplete ? 'info' : 'warning',
      title: isComplete ? 'Docs Agent' : 'Not everything was collected',
      text: [headline, ...missing].join('\n'),
    },
    red,
  };
}

function summary(
  headline: string,
  lines: readonly string[],
  rows: readonly Collected[],
  { isNamed }: { readonly isNamed: boolean },
): string {
  const told = table(
    [...(isNamed ? ['Project'] : []), 'Thread', 'Job', 'Asked', 'How it stands'],
    rows.map((one) => [...(isNamed ? [codeCell(one.project.name)] : []), ...rowOf(one)]),
  );
  const parts = [
    rows.length === 0 && lines.length === 0 ? '### Nothing to collect' : `### ${headline}`,
    lines.length === 0 ? '' : `> [!WARNING]\n${lines.map((line) => `> ${line}`).join('\n')}`,
    rows.length === 0 ? '' : told,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function rowOf({ open, card = open.card }: Collected): string[] {
  const { comment, thread } = open;
  const job = jobOf(card);
  return [
    `[#${thread}](<${comment.url}>)`,
    job === undefined ? '' : code(capped(job.id, shownIdCharacters)),
    `${askedAt(open).slice(0, 16).replace('T', ' ')} UTC`,
    card === open.card ? '⏳ Still at work.' : lineWithSign(wordsFor(card)),
  ].map(cell);
}

function detailsOf({ open, card = open.card }: Collected) {
  const ending = card === open.card ? undefined : endingOf(card);
  return {
    thread: open.thread,
    commentUrl: open.comment.url,
    jobId: jobOf(card)?.id ?? null,
    askedAt: askedAt(open),
    outcome: ending?.outcome ?? null,
    reason: ending?.reason ?? null,
    pullRequest: (ending && pullRequestOf(jobOf(card))) ?? null,
  };
}

/** When the agent was asked, as an ISO date; of a claim when it was written. */
function askedAt({ comment, card }: Open): string {
  return new Date(card.askedAt ?? comment.createdAtMs).toISOString();
}
