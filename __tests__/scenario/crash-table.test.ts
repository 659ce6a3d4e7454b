import { expect, test } from '@jest/globals';
import type { Comment } from '../../simulator/github/types.ts';
import type { RequestMoment } from '../../simulator/http/exchange.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import { headlineOf, writtenIn } from '../support/oracle/agent.ts';
import { isFor, routes } from '../support/routes.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';
import { collect } from '../support/scenarios/left-open.ts';

/*
 * A runner is lost, without a post phase. Someone may touch the status comment, and then another
 * run comes. The table says whether it sends the request, and what the thread says afterward.
 */

const crashes: readonly [when: string, moment: RequestMoment][] = [
  ['before the claim', { at: routes.writeComment, phase: 'arrived' }],
  ['after the claim', { at: routes.writeComment, phase: 'handled' }],
  ['before the edit', { at: routes.editComment, phase: 'arrived' }],
  ['during the edit', { at: routes.editComment, phase: 'handled' }],
  ['before the POST', { at: routes.createJob, phase: 'arrived' }],
  ['after the POST', { at: routes.createJob, phase: 'handled' }],
  ['after the second edit', { at: routes.getJob, phase: 'arrived' }],
];

/** What a person does to the status comment. Hiding a comment counts as an edit, too. */
const touches: readonly [what: string, touch: (comment: Comment, stage: MemoryStage) => unknown][] =
  [
    ['untouched', () => undefined],
    ['hidden', ({ id, body }, { core }) => core.github.edit(id, body)],
    ['line below', ({ id, body }, { core }) => core.github.edit(id, `${body}\n\nLooks stuck.`)],
    ['line above', ({ id, body }, { core }) => core.github.edit(id, `Looks stuck.\n\n${body}`)],
    ['deleted', ({ id }, { core }) => core.github.delete(id)],
  ];

const hourMs = 3_600_000;
const comers: readonly [who: string, come: (stage: MemoryStage) => Promise<unknown>][] = [
  ['re-run', ({ play }) => play({ attempt: 2 })],
  ['rival', ({ play }) => play({ runId: 2 })],
  [
    'late rival',
    ({ core, play }) => {
      core.clock.advance(2 * hourMs);
      return play({ runId: 2 });
    },
  ],
  [
    'collecting',
    ({ core }) => {
      core.clock.advance(2 * hourMs);
      return collect(core);
    },
  ],
];

function headlinesIn({ core, staged }: MemoryStage): string {
  const headlines = writtenIn(core, staged.thread).map((comment) => headlineOf(comment));
  return headlines.map((line) => line.replace(/\(<.*?>\)/g, '')).join(' & ') || 'nothing';
}

const postsOf = ({ core }: MemoryStage) => core.requests.filter(isFor(routes.createJob)).length;

test.each(crashes)('a run that is lost %s', async (_, killAt) => {
  const table: string[] = [];
  for (const [what, touch] of touches)
    for (const [who, come] of comers) {
      const stage = await stageInMemory(simpleCommand);
      await stage.play({ killAt });
      stage.core.clock.advance(5_000);
      const [comment] = writtenIn(stage.core, stage.staged.thread);
      if (comment === undefined && what !== 'untouched') continue;
      if (comment !== undefined) touch(comment, stage);
      const before = postsOf(stage);
      await come(stage);
      const verdict = postsOf(stage) > before ? 'sends' : 'no';
      table.push([what, who, verdict, headlinesIn(stage)].join(' | '));
      if (what !== 'deleted') expect(stage.core.service.jobs.length).toBeLessThanOrEqual(1);
      expect(stage.core.violations).toEqual([]);
    }
  expect(`\n${table.join('\n')}\n`).toMatchSnapshot();
});
