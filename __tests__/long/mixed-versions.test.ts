import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { memoryPlayer } from '../support/in-process/player.ts';
import { today, type Version, versionAt } from '../support/in-process/version.ts';
import { testThreads } from '../support/threads/generated.ts';
import { anyThread } from '../support/threads/happenings.ts';
import { ThreadModel } from '../support/threads/model.ts';

/*
 * Generates threads as `scenario/threads` does, but some of the runs are done by the version that wrote the newest frozen cards,
 * as if the workflow had been updated or had several versions. Set MIXED_THREADS for a different number. To replay a failure:
 *   THREADS_SEED=<seed> THREADS_PATH=<path> npm run test:long -- mixed-versions
 */

const forms = new URL('../fixtures/cards/', import.meta.url);
const newest = new URL(`form-${readdirSync(forms).length}.json`, forms);
const old = await versionAt(JSON.parse(readFileSync(newest, 'utf8')).writer.commit);
const count = Number(process.env.MIXED_THREADS ?? 2_000);

const modelOf = (nextVersion: () => Version) => new ThreadModel(memoryPlayer({}, nextVersion));
const threads = fc.record({ happenings: anyThread, isOld: fc.infiniteStream(fc.boolean()) });

testThreads('threads of two versions', count, threads, async ({ happenings, isOld }) => {
  const mixed = modelOf(() => (isOld.next().value ? old : today));
  const problems = await mixed.play(happenings);
  if (problems.length === 0) return [];
  // This version can't undo what the old one does wrong even by itself.
  const known = await modelOf(() => old).play(happenings, true);
  return problems.filter((problem) => !known.includes(problem));
});
