import type { Project } from '../core/inputs/projects.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { endingOf, jobOf } from '../requests/card.ts';
import type { Open } from '../requests/claims.ts';
import { pullRequestOf } from '../requests/job.ts';
import type { Settled } from '../requests/settle.ts';
import { lineWithSign, wordsFor } from '../requests/words.ts';
import { firstFew } from '../text/first-few.ts';
import { capped, cell, code, codeCell, table } from '../text/markdown.ts';
import type { CollectConfig } from './inputs.ts';
import type { CollectedJob, CollectResult } from './result-schema.ts';

/** Characters of a job's id in a table. */
const shownIdCharacters = 100;

/** How a comment stands after the run. `elsewhere`: somebody else has written there meanwhile. */
type Standing = 'finished' | 'elsewhere' | 'at work' | 'left';

/** What was done for an open comment, and of which project it is. */
export interface Collected extends Settled {
  readonly project: Project;
}

/** What a run has not done, in sentences of Markdown. */
export interface Remains {
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
): ModeResult<CollectResult> {
  const having = (standing: Standing) => all.filter((one) => standingOf(one) === standing);
  const [finished, atWork, left] = [having('finished'), having('at work'), having('left')];
  const missing = [...whatIsLeft(left.length, whyLeft), ...unseen];
  const isComplete = missing.length === 0;
  const red = !isComplete && failOn.has('incomplete');
  const counts = { finished: finished.length, stillActive: atWork.length, left: left.length };
  const isNamed = projects.length > 1;
  const headline = `Brought to their end: ${finished.length}${ofThemGivenUp(finished)}. Still at work: ${atWork.length}.`;
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

function standingOf({ open, card, saved }: Settled): Standing {
  if (card === open.card) return 'at work';
  if (card === undefined || saved === 'failed') return 'left';
  return saved === 'changed' ? 'elsewhere' : 'finished';
}

function ofThemGivenUp(finished: readonly Settled[]): string {
  const givenUp = finished.filter(({ card }) => card?.stop?.reason === 'given-up');
  return givenUp.length === 0 ? '' : ` (given up: ${givenUp.length})`;
}

function whatIsLeft(left: number, whyLeft: readonly string[]): string[] {
  if (left === 0) return [];
  return [[`Left for the next run: ${left}.`, ...firstFew(whyLeft, mostReasons)].join(' ')];
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

function rowOf({ open, card }: Settled): string[] {
  const { comment, thread } = open;
  const job = jobOf(card ?? open.card);
  const isOver = card !== undefined && card !== open.card;
  return [
    `[#${thread}](<${comment.url}>)`,
    job === undefined ? '' : code(capped(job.id, shownIdCharacters)),
    `${askedAt(open).slice(0, 16).replace('T', ' ')} UTC`,
    isOver ? lineWithSign(wordsFor(card)) : '⏳ Still at work.',
  ].map(cell);
}

function detailsOf({ open, card }: Settled): CollectedJob {
  const { comment, thread } = open;
  const ending = card === undefined || card === open.card ? undefined : endingOf(card);
  const job = ending === undefined ? undefined : jobOf(card ?? open.card);
  const pullRequest = pullRequestOf(job);
  return {
    thread,
    commentUrl: comment.url,
    jobId: jobOf(card ?? open.card)?.id ?? null,
    askedAt: askedAt(open),
    outcome: ending?.outcome ?? null,
    reason: ending?.reason ?? null,
    pullRequest: pullRequest === undefined ? null : { url: pullRequest.url, number: pullRequest.number },
  };
}

/** When the agent was asked, as an ISO date; of a claim when it was written. */
function askedAt({ comment, card }: Open): string {
  return new Date(card.askedAt ?? comment.createdAtMs).toISOString();
}
