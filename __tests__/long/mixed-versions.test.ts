import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import { frozenCards } from '../support/card-form.ts';
import { memoryPlayer } from '../support/in-process/player.ts';
import { today, type Version, versionAt } from '../support/in-process/version.ts';
import { testThreads } from '../support/threads/generated.ts';
import { calmThread } from '../support/threads/happenings.ts';
import { ThreadModel } from '../support/threads/model.ts';

/*
 * Generates threads as `scenario/threads` does, but some of the runs are done by the versions whose cards are frozen, as if the
 * workflow had been updated or had several versions. If there is only one form so far, that is the version that wrote its frozen
 * cards: it stores cards as today's version does, but decides as the code did then. Set MIXED_THREADS for a different number, and
 * MIXED_WITH for only one other version, the one of that commit. To replay a failure:
 *   THREADS_SEED=<seed> THREADS_PATH=<path> npm run test:long -- mixed-versions
 */

/** The commits that wrote the frozen cards. A form that isn't committed yet is today's. */
const commits = frozenCards.flatMap(({ file }) => {
  const path = `__tests__/fixtures/cards/${file}`;
  const options = ['log', '-1', '--format=%h', '--', path];
  const commit = execFileSync('git', options, { cwd: ACTION_DIR, encoding: 'utf8' }).trim();
  return commit === '' ? [] : [commit];
});
const { MIXED_WITH: other } = process.env;
const earlier = await Promise.all((other === undefined ? commits : [other]).map(versionAt));
const count = Number(process.env.MIXED_THREADS ?? 2_000);

const modelOf = (nextVersion: () => Version) => new ThreadModel(memoryPlayer({}, nextVersion));
const threads = fc.record({
  happenings: calmThread,
  old: fc.constantFrom(...earlier),
  isOld: fc.infiniteStream(fc.boolean()),
});

testThreads('threads of two versions', count, threads, async ({ happenings, old, isOld }) => {
  const mixed = modelOf(() => (isOld.next().value ? old : today));
  const problems = await mixed.play(happenings);
  if (problems.length === 0) return [];
  // This version can't undo what the old one does wrong even by itself.
  const known = await modelOf(() => old).play(happenings, true);
  return problems.filter((problem) => !known.includes(problem));
});
