import { beforeEach, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { headlines, Stage } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';
import { dataIn, requestIn } from '../support/prompts.ts';
import { openAgentsPull } from '../support/scenarios/agent.ts';
import { THREAD } from '../support/usual.ts';

/* Runs the bundle on reviews of pull request 7, which the agent created. */

const stage = new Stage();
const where = { path: 'docs/quickstart.md', hunk: '@@ -0,0 +1,2 @@\n+# Quickstart\n+Run it.', line: 2 };

beforeEach(async () => {
  await openAgentsPull(stage.simulator);
});

const comment = (body: string, login = 'maintainer') =>
  stage.github.reviews.comment(login, THREAD, { ...where, body });
const review = (text: string, ...bodies: readonly string[]) =>
  stage.github.reviews.submit(
    'maintainer',
    THREAD,
    text,
    bodies.map((body) => ({ ...where, body })),
  );
/** The prompts of the job that created the pull request, without the data from GitHub. */
const asked = () => stage.jobs.map(({ prompts }) => prompts.map(requestIn));
/** The data from GitHub in the last prompt. */
const sent = () => dataIn(stage.jobs[0]?.prompts.at(-1) ?? '').join('\n');

test('a comment on a line is sent to the job with its line, and gets 👀, 🚀, and a status comment that links it', async () => {
  const command = comment('/docs say how to run it');
  const run = await stage.on(stage.github.reviewCommentEvent(command));
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'pr-created', 'job-id': 'job_0001' } });
  expect(asked()).toEqual([['add a quickstart', 'say how to run it']]);
  expect(sent()).toContain('The request is a comment on docs/quickstart.md, line 2:\n    @@ -0,0');
  expect(command.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  expect(headlines(stage.status).at(-1)).toMatch(/^✅ .*pull\/7/);
  expect(textOf(stage.status)).toContain(
    `this review comment](<https://github.com/octo-org/docs/pull/7#discussion_r`,
  );
});

test.each<[string, () => WebhookEvent, string]>([
  ['a review without text', () => stage.github.reviewEvent(review('')), 'no-command'],
  ['a comment that is not a command', () => stage.github.reviewCommentEvent(comment('Nice.')), 'no-command'],
  ['an edited review', () => stage.github.reviewEvent(review('/docs x'), 'edited'), 'not-created'],
  ['a dismissed review', () => stage.github.reviewEvent(review('/docs x'), 'dismissed'), 'not-created'],
  [
    'a bot’s comment',
    () => stage.github.reviewCommentEvent(comment('/docs x', 'docs-agent[bot]')),
    'unlisted-bot',
  ],
])('%s sends no request', async (_, say, reason) => {
  const run = await stage.on(say());
  expect(run).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'skipped', reason },
    github: [],
    service: [],
  });
});
