import { beforeEach, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { Stage } from '../support/bundle/stage.ts';
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
const review = (text: string) => stage.github.reviews.submit('maintainer', THREAD, text, []);

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
