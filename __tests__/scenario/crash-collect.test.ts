import { expect, test } from '@jest/globals';

import type { Comment } from '../../simulator/github/types.ts';
import { stageInMemory } from '../support/in-process/player.ts';
import { headlineOf, jobNamed, statusComments, untruths } from '../support/oracle/agent.ts';
import { type Boundary, boundariesOf } from '../support/routes.ts';
import { type Scenario, scenarios } from '../support/scenarios/agent.ts';
import { collect } from '../support/scenarios/left-open.ts';

/*
 * The crash matrix with collecting as its healer: main is killed at every request boundary, no post phase ever runs, nobody
 * runs it again; and after one collect every thread is at its end, or says truly that nobody can know.
 */

/** The watch's half hour is over, and a claim counts as lost. */
const laterMs = 2 * 3_600_000;

async function playCollected(scenario: Scenario, killAt: Boundary, wait: 'true' | 'false') {
  const { core, staged, play } = await stageInMemory(scenario);
  const main = await play({ inputs: { wait }, killAt });
  core.clock.advance(laterMs);
  const collected = await collect(core);
  const own = statusComments(core, staged);
  const problems = [
    ...untruths(core, staged, { ...main, summary: '' }, { comments: 'at most one', reaction: false }),
    ...core.violations,
  ];
  if (collected.outputs.reason !== 'complete') problems.push(`collected: ${collected.outputs.reason}`);
  const left = own.map(stateOf);
  if (left.includes('at work')) problems.push(`the thread is left ${left}`);
  // Only a run that never told of its job leaves what nobody can know.
  if (own.some((comment) => (stateOf(comment) === 'ended') !== (jobNamed(comment) !== undefined)))
    problems.push('a job is known, and is not told of');
  return { killAt, left: left.join() || 'no comment', problems };
}

/** What a status comment says of its request. */
function stateOf(comment: Comment): 'at work' | 'unconfirmed' | 'ended' {
  const headline = headlineOf(comment);
  if (headline.startsWith('⏳')) return 'at work';
  return /can.t tell/.test(headline) ? 'unconfirmed' : 'ended';
}

test.each(scenarios.flatMap((scenario) => (['true', 'false'] as const).map((wait) => ({ scenario, wait }))))(
  'main of the $scenario.name, with wait: $wait, killed at every boundary, and then collected',
  async ({ scenario, wait }) => {
    const { core, staged, play } = await stageInMemory(scenario);
    await play({ inputs: { wait } });
    const ended = [];
    for (const boundary of boundariesOf(core.requests.slice(staged.before.requests)))
      ended.push(await playCollected(scenario, boundary, wait));
    expect(ended.filter(({ problems }) => problems.length > 0)).toEqual([]);
    const left = new Set(ended.map((one) => one.left));
    expect([...left].sort()).toEqual(['ended', 'no comment', 'unconfirmed']);
  },
  60_000,
);
