import { expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { denied, headlines, reactions, Stage, skipped } from '../support/bundle/stage.ts';
import { textOf } from '../support/oracle/agent.ts';

const stage = new Stage();

const inputs = { prompt: 'Update the docs for this change.' };

test('a prompt on an issue gets a status comment there', async () => {
  const run = await stage.on(stage.github.issuesEvent(7), inputs);
  expect(run).toMatchObject({
    exitCode: 0,
    outputs: { outcome: 'pr-created', 'pr-number': '101' },
  });
  expect(run.outputs['comment-url']).toContain(`#issuecomment-${stage.status.id}`);
  expect(headlines(stage.status)).toHaveLength(3);
  expect(textOf(stage.status)).toContain('Update the docs for this change.');
  expect(textOf(stage.status)).not.toContain('Asked by');
  expect(run.github.length).toBeLessThanOrEqual(8);
});

test('a re-run of a prompt reports its job again, a command continues the job, and another run starts one', async () => {
  stage.threadIs({ isPullRequest: true });
  const event = stage.github.pullRequestEvent(7);
  const first = await stage.on(event, inputs);
  await stage.again(first);
  expect(stage.jobs).toHaveLength(1);
  expect(stage.written()).toHaveLength(1);
  await stage.say('/docs shorter, please');
  await stage.on(event, inputs);
  expect(stage.requests).toEqual([[inputs.prompt, 'shorter, please'], [inputs.prompt]]);
  expect(stage.written()).toHaveLength(3);
});

test('`thread: N` gives a thread to a run on another event', async () => {
  const run = await stage.play({ ...inputs, thread: '7' });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(textOf(stage.status)).toContain('is ready');
  await stage.again(run);
  expect(stage.jobs).toHaveLength(1);
});

test('a prompt on a comment is sent unchanged, but only for people with permission', async () => {
  const prompt = '/docs --new is part\n  of the prompt';
  const run = await stage.say('Thanks! /docs', { inputs: { prompt } });
  expect(stage.requests).toEqual([[prompt]]);
  expect(run.outputs.outcome).toBe('pr-created');
  expect(reactions(run.command)).toEqual(['eyes', 'rocket']);
  const denied = await stage.say('Thanks!', { login: 'stranger', inputs: { prompt } });
  expect(denied).toMatchObject({ exitCode: 0, outputs: { outcome: 'denied' } });
  // The comment isn't a command, so its author gets no reply.
  expect(reactions(denied.command)).toEqual([]);
  expect(stage.written()).toHaveLength(1);
  expect(stage.jobs).toHaveLength(1);
});

test.each(['pull_request_review_comment', 'discussion_comment'])(
  'a prompt on a %s is sent only for people with permission',
  async (name) => {
    stage.threadIs({ isPullRequest: true });
    const on = (login: string) => {
      const comment = stage.github.comment(login, 7, 'Please.');
      return stage.on({ ...stage.github.issueCommentEvent(comment), name }, inputs);
    };
    expect(await on('stranger')).toMatchObject(denied());
    expect(await on('maintainer')).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'pr-created' },
    });
    expect(stage.requests).toEqual([[inputs.prompt]]);
  },
);

test('a run for a fork, a deleted fork, or Dependabot has no key, and succeeds', async () => {
  stage.threadIs({ isPullRequest: true });
  const event = stage.github.pullRequestEvent(7);
  const review = stage.github.reviewEvent(
    stage.github.reviews.submit('maintainer', 7, '/docs x', []),
  );
  const fork = { full_name: 'stranger/docs' };
  const from = (repo: object | null, { payload, ...more }: WebhookEvent) => {
    const pull_request = { ...(payload.pull_request as object), head: { repo } };
    return { ...more, payload: { ...payload, pull_request } };
  };
  const forks = [from(fork, event), from(fork, review), from(null, event)];
  for (const theirs of [...forks, { ...event, actor: 'dependabot[bot]' }]) {
    const run = await stage.on(theirs, { ...inputs, 'api-key': '' });
    expect(run).toMatchObject({ ...skipped('no-secrets'), annotations: [] });
  }
  const mistake = await stage.on(event, { ...inputs, 'api-key': '' });
  expect(mistake).toMatchObject({
    exitCode: 1,
    outputs: { outcome: 'failed', reason: 'bad-input' },
  });
});
