import type { Open } from '../agent/open/find.ts';
import type { Handled } from '../agent/open/finish.ts';
import { tellableOf } from '../agent/open/tell.ts';
import { pullRequestOf } from '../agent/tell/ending.ts';
import { lineWithSign, wordsFor } from '../agent/tell/words.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { firstFew } from '../text/first-few.ts';
import { capped, cell, code, codeCell, table } from '../text/markdown.ts';
import type { CollectConfig } from './inputs.ts';
import type { CollectedJob, CollectResult } from './result-schema.ts';

/** Characters of a job's id in a table. */
const shownIdCharacters = 100;

/** How a comment stands after the run. `elsewhere`: somebody else has written there meanwhile. */
type Standing = 'finished' | 'elsewhere' | 'at work' | 'left';

/** What was done for an open comment, and of which project it is. */
export interface Collected extends Handled {
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
  { failOn, command, projects }: CollectConfig,
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
    summary: summary(headline, [...missing, ...notes], [...finished, ...atWork], { command, isNamed }),
    message: {
      level: red ? 'error' : isComplete ? 'info' : 'warning',
      title: isComplete ? 'Docs Agent' : 'Not everything was collected',
      text: [headline, ...missing].join('\n'),
    },
    red,
  };
}

function standingOf({ verdict, told }: Handled): Standing {
  if (verdict.is === 'at work') return 'at work';
  if (verdict.is === 'unseen' || told === 'untold') return 'left';
  return told === 'changed' ? 'elsewhere' : 'finished';
}

function ofThemGivenUp(finished: readonly Handled[]): string {
  const givenUp = finished.filter(
    ({ verdict }) => verdict.is === 'over' && verdict.ending.reason === 'given-up',
  );
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
  { command, isNamed }: { readonly command: string; readonly isNamed: boolean },
): string {
  const told = table(
    [...(isNamed ? ['Project'] : []), 'Thread', 'Job', 'Asked', 'How it stands'],
    rows.map((one) => [...(isNamed ? [codeCell(one.project.name)] : []), ...rowOf(one, command)]),
  );
  const parts = [
    rows.length === 0 && lines.length === 0 ? '### Nothing to collect' : `### ${headline}`,
    lines.length === 0 ? '' : `> [!WARNING]\n${lines.map((line) => `> ${line}`).join('\n')}`,
    rows.length === 0 ? '' : told,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function rowOf({ open, verdict }: Handled, command: string): string[] {
  const { comment, marker, thread } = open;
  const stands =
    verdict.is === 'over'
      ? lineWithSign(wordsFor(verdict.ending, tellableOf(open, verdict, command)))
      : '⏳ Still at work.';
  return [
    `[#${thread}](<${comment.url}>)`,
    marker.job === undefined ? '' : code(capped(marker.job, shownIdCharacters)),
    `${askedAt(open).slice(0, 16).replace('T', ' ')} UTC`,
    stands,
  ].map(cell);
}

function detailsOf({ open, verdict }: Handled): CollectedJob {
  const { comment, marker, thread } = open;
  const over = verdict.is === 'over' ? verdict : undefined;
  const pullRequest = pullRequestOf(over?.job);
  return {
    thread,
    commentUrl: comment.url,
    jobId: marker.job ?? null,
    askedAt: askedAt(open),
    outcome: over?.ending.outcome ?? null,
    reason: over?.ending.reason ?? null,
    pullRequest: pullRequest === undefined ? null : { url: pullRequest.url, number: pullRequest.number },
  };
}

/** When the agent was asked, as an ISO date; of a claim when it was written. */
function askedAt({ comment, marker }: Open): string {
  const ms = marker.askedAt === undefined ? comment.createdAtMs : marker.askedAt * 1000;
  return new Date(ms).toISOString();
}
