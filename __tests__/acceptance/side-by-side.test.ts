import { expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import type { Simulator } from '../../simulator/index.ts';
import type { RunResult } from '../../simulator/runner/runner.ts';
import { runAction, withSimulator } from '../support/bundle/run.ts';
import { inParallel, printTable } from '../support/cases.ts';
import { endOf } from '../support/oracle/played.ts';
import { requestIn } from '../support/prompts.ts';
import { markersOf } from '../support/scenarios/agent.ts';
import { serviceInputs } from '../support/usual.ts';

/*
 * Many runs at once against one simulator, six at a time on a machine of few cores: in one thread, in a thread each, and
 * all for one and the same comment.
 */

const runs = 50;
const atOnce = 6;
const timeoutMs = 120_000;

const activeMs = 20_000;

function play(simulator: Simulator, event: WebhookEvent): Promise<RunResult> {
  return runAction({ simulator, event, inputs: serviceInputs(simulator) });
}

/** How many runs were under way at the same time at the most. */
function watchOverlap(simulator: Simulator): { most: number; during<T>(run: () => Promise<T>): Promise<T> } {
  let now = 0;
  const seen = {
    most: 0,
    async during<T>(run: () => Promise<T>): Promise<T> {
      const end = simulator.onBoundary(() => {
        seen.most = Math.max(seen.most, now);
      });
      now += 1;
      try {
        return await run();
      } finally {
        now -= 1;
        end();
      }
    },
  };
  return seen;
}

/** The status comments of every trigger in a thread, by its key. */
function statusComments(
  simulator: Simulator,
  thread: number,
): Map<string, { phase: string; job: string | undefined }[]> {
  const markers = markersOf(simulator, { thread });
  const own = simulator.github.commentsOf(thread).flatMap((comment) => {
    const marker = markers.read(comment);
    return marker === undefined ? [] : [{ key: marker.key, phase: marker.phase, job: marker.job }];
  });
  return Map.groupBy(own, ({ key }) => key);
}

/** How often each prompt came to the service. */
function askedFor({ service }: Simulator, prompt: string): number {
  return service.jobs.flatMap(({ prompts }) => prompts).filter((one) => requestIn(one) === prompt).length;
}

function outcomes(results: readonly RunResult[]): string {
  const counts = Map.groupBy(results, endOf);
  return [...counts].map(([outcome, { length }]) => `${outcome}: ${length}`).join(', ');
}

function print(title: string, simulator: Simulator, results: readonly RunResult[], most: number): void {
  const { jobs } = simulator.service;
  const asked = jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
  printTable(`Side by side: ${title}`, [
    ['runs', 'at once', 'jobs', 'prompts', 'ends'],
    [results.length, most, jobs.length, asked, outcomes(results)],
  ]);
}

test.each([
  ['50 commands in one thread', () => 1],
  ['50 commands in a thread each', (index: number) => index + 1],
])(
  '%s',
  async (title, threadOf) => {
    await withSimulator({}, async (simulator) => {
      const { github, service } = simulator;
      service.script({ activeMs });
      const indexes = Array.from({ length: runs }, (_, index) => index);
      for (const number of new Set(indexes.map(threadOf))) github.addThread({ number });
      const events = indexes.map((index) =>
        github.issueCommentEvent(github.comment('maintainer', threadOf(index), `/docs prompt ${index}.`)),
      );
      const overlap = watchOverlap(simulator);
      const results = await inParallel(events, atOnce, (event) =>
        overlap.during(() => play(simulator, event)),
      );
      print(title, simulator, results, overlap.most);

      expect(overlap.most).toBe(atOnce);
      expect(indexes.map((index) => askedFor(simulator, `prompt ${index}.`))).toEqual(indexes.map(() => 1));
      expect(results.map(({ outputs }) => outputs.outcome)).toEqual(indexes.map(() => 'pr-created'));
      const threads = [...new Set(indexes.map(threadOf))];
      const comments = threads.flatMap((thread) => [...statusComments(simulator, thread).values()]);
      expect(comments).toEqual(indexes.map(() => [expect.objectContaining({ phase: 'ended' })]));
      expect(simulator.violations).toEqual([]);
    });
  },
  timeoutMs,
);

test(
  '50 runs of one and the same comment',
  async () => {
    await withSimulator({}, async (simulator) => {
      const { github, service } = simulator;
      service.script({ activeMs });
      github.addThread({ number: 1 });
      const event = github.issueCommentEvent(github.comment('maintainer', 1, '/docs prompt 0.'));
      const overlap = watchOverlap(simulator);
      const events = Array.from({ length: runs }, () => event);
      const results = await inParallel(events, atOnce, (one) => overlap.during(() => play(simulator, one)));
      print('50 runs of one comment', simulator, results, overlap.most);

      expect(overlap.most).toBe(atOnce);
      expect(service.jobs.map(({ prompts }) => prompts.map(requestIn))).toEqual([['prompt 0.']]);
      expect([...statusComments(simulator, 1).values()]).toEqual([
        [expect.objectContaining({ phase: 'ended', job: 'job_0001' })],
      ]);
      // Those that come while it is asked leave it to the first; those that come when it is done tell the same again.
      const ends = results.map(({ outputs }) => outputs.reason);
      expect(ends).toContain('pull-request');
      expect(ends.filter((reason) => reason !== 'pull-request' && reason !== 'another-run')).toEqual([]);
      expect(simulator.violations).toEqual([]);
    });
  },
  timeoutMs,
);
