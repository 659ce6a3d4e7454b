import { expect, test } from '@jest/globals';

import type { WebhookEvent } from '../../simulator/github/types.ts';
import { playMain } from '../support/in-process/play.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/stage.ts';
import { statusComments } from '../support/oracle/agent.ts';
import { endOf, type Played } from '../support/oracle/played.ts';
import { type Scenario, simpleCommand } from '../support/scenarios/agent.ts';

/* What a run of `mode: collect` finishes, what it leaves alone, and what it costs. */

const hourMs = 3_600_000;
const _dayMs = 24 * hourMs;

/** Plays a collect in the stage's simulator, on a schedule unless told otherwise. */
function collect(
  { core, run, staged }: MemoryStage,
  more: Readonly<Record<string, string>> = {},
  event: WebhookEvent = core.github.scheduleEvent(),
): Promise<Played> {
  const { 'api-key': apiKey = '', 'project-id': projectId = '', 'base-url': baseUrl = '' } = staged.inputs;
  const inputs = {
    mode: 'collect',
    'api-key': apiKey,
    'project-id': projectId,
    'base-url': baseUrl,
    ...more,
  };
  return playMain({ ...run(9), staged: { event, inputs } });
}

/** A scenario whose run did not wait. */
async function askedAndLeft(scenario: Scenario = simpleCommand, script = {}): Promise<MemoryStage> {
  const stage = stageInMemory(scenario);
  stage.core.service.script(script);
  const inputs = { ...stage.staged.inputs, wait: 'false' };
  const main = await playMain({ ...stage.run(1), staged: { ...stage.staged, inputs } });
  expect(endOf(main)).toBe('detached (not-waited)');
  return stage;
}

const own = ({ core, staged }: MemoryStage) => {
  const [one, ...more] = statusComments(core, staged, staged.key(1));
  if (one === undefined || more.length > 0) throw new Error('There is not one status comment');
  return { ...one, text: one.comment.body.replace(/^<!--.*-->\n/, '') };
};
const _sentSince = ({ core }: MemoryStage, before: number, to: string) =>
  core.requests.slice(before).filter((request) => request.to === to).length;
const reactionsOf = ({ core, staged }: MemoryStage) =>
  core.github.findComment(staged.sourceCommentId ?? 0).reactions.map(({ content }) => content);

test('a job that was asked for and left is told, as a run that waits tells it', async () => {
  const stage = await askedAndLeft();
  const before = own(stage);
  stage.core.clock.advance(hourMs);
  const played = await collect(stage);
  expect(endOf(played)).toBe('collected (complete)');
  expect(played.outputs).toMatchObject({ finished: '1', 'still-active': '0' });
  const { text, marker } = own(stage);
  expect(text).toMatch(/^\*\*\[Pull request #101\]\(<.*>\) is ready\.\*\*\n\nFor changes to it, continue/);
  expect(text.slice(text.indexOf('<details>'))).toBe(before.text.slice(before.text.indexOf('<details>')));
  expect(marker).toMatchObject({ phase: 'ended', outcome: 'pr-created', job: 'job_0001' });
  expect(marker).not.toHaveProperty('until');
  expect(reactionsOf(stage)).toEqual(['eyes', 'rocket']);
  expect(played.summary).toContain('Pull request #101');
});
