import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { type MemoryPlayer, memoryPlayer } from '../support/in-process/player.ts';
import { endOf } from '../support/played.ts';
import { serviceInputs, THREAD } from '../support/usual.ts';

/* Pull requests that coding agents write, and people review and merge. */

let player: MemoryPlayer;
let core: MemoryPlayer['core'];
beforeEach(() => {
  player = memoryPlayer();
  core = player.core;
  core.github.git.commit({ files: { 'src/retry.ts': 'export const tries = 1;\n' } });
});

const open = (author: string) => {
  core.github.addUser(author, { type: 'Bot', permission: 'none' });
  core.github.git.branch('retries');
  core.github.git.commit({
    branch: 'retries',
    files: { 'src/retry.ts': 'export const tries = 3;\n' },
  });
  core.github.pullRequests.open({ number: THREAD, head: 'retries', author });
};
const play = async (event: WebhookEvent, inputs: Readonly<Record<string, string>> = {}) => {
  const change = { prompt: 'Update the docs.', context: 'changes', paths: 'src/**' };
  const all = { ...serviceInputs(core), ...change, 'allow-users': '*[bot]', ...inputs };
  return endOf(await player.play({ event, runId: 1, inputs: all }));
};
const merge = () => core.github.pullRequests.merge(THREAD, 'squash');

describe('with `*[bot]` in `allow-users`', () => {
  test.each(['Copilot', 'claude[bot]'])(
    'a change by %s that a person merged is sent',
    async (author) => {
      open(author);
      merge();
      expect(await play(core.github.pushEvent(), { 'allow-users': '' })).toBe(
        'skipped (bot-change)',
      );
      expect(await play(core.github.pushEvent())).toBe('pr-created (pull-request)');
      expect(core.service.jobs).toHaveLength(1);
    },
  );

  test('a change that its bot merged is sent, too, but not one that is only open', async () => {
    open('Copilot');
    expect(await play(core.github.pullRequestEvent(THREAD))).toBe('skipped (unlisted-bot)');
    merge();
    expect(await play(core.github.pullRequestEvent(THREAD, 'labeled'))).toBe(
      'skipped (unlisted-bot)',
    );
    expect(await play(core.github.pullRequestEvent(THREAD, 'closed'))).toBe(
      'pr-created (pull-request)',
    );
  });

  test.each(['mintlify[bot]', 'dependabot[bot]', 'renovate[bot]', 'Docs-Builder[bot]'])(
    'a change by %s is sent only if it is listed by name',
    async (author) => {
      open(author);
      merge();
      const checks = { checks: 'mintlify/*\ndocs-builder/Build' };
      for (const event of [
        core.github.pushEvent(),
        core.github.pullRequestEvent(THREAD, 'closed'),
      ]) {
        expect(await play(event, checks)).toMatch(/^skipped \((?:bot-change|unlisted-bot)\)$/);
        expect(core.service.jobs).toHaveLength(0);
      }
      const listed = { ...checks, 'allow-users': `*[bot]\n${author}` };
      expect(await play(core.github.pushEvent(), listed)).toBe('pr-created (pull-request)');
    },
  );

  test('the docs service’s own app is sent only if it is listed, even with `checks: none`', async () => {
    open('mintlify[bot]');
    merge();
    const inputs = { checks: 'none' };
    for (const event of [core.github.pushEvent(), core.github.pullRequestEvent(THREAD, 'closed')])
      expect(await play(event, inputs)).toMatch(/^skipped \((?:bot-change|unlisted-bot)\)$/);
  });

  test('no bot can send a command', async () => {
    core.github.addThread({ number: THREAD });
    core.github.addUser('claude[bot]', { type: 'Bot', permission: 'none' });
    const comment = core.github.comment('claude[bot]', THREAD, '/docs write this up');
    const inputs = { prompt: '', context: '', paths: '' };
    expect(await play(core.github.issueCommentEvent(comment), inputs)).toBe(
      'skipped (unlisted-bot)',
    );
    expect(await play(core.github.issueCommentEvent(comment))).toBe('skipped (unlisted-bot)');
    expect(core.service.jobs).toHaveLength(0);
  });
});
