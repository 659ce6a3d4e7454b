import { expect, test } from '@jest/globals';
import { playScene } from '../../simulator/play/scene.ts';

test('`npm start -- --change` shows what the agent was told of a merge, and the answer in its pull request', async () => {
  let text = '';
  const options = { scene: { kind: 'change' }, service: undefined } as const;
  expect(await playScene(options, (part) => (text += part))).toBe(0);
  expect(text).not.toContain('✗ refused');
  const [, told = '', after = ''] =
    text.match(
      /── What the agent was told ──\n([\s\S]*)── The pull request, as a reader sees it ──\n([\s\S]*)/,
    ) ?? [];
  expect(told).toContain('+export const tries = 3;');
  expect(told).not.toMatch(/Thanks for contributing|lockfileVersion|toBe/);
  expect(told).toContain('Left out: the patches of 2 files that `paths` leaves out.');
  expect(after).toContain(
    '[Pull request #101](<https://github.com/octo-org/docs/pull/101>)** is ready to review',
  );
});

test('`npm start -- --comment …` shows the thread at its end, and the outputs', async () => {
  let text = '';
  const scene = { kind: 'comments', comments: ['/docs a', '/docs b'] } as const;
  expect(await playScene({ scene, service: undefined }, (part) => (text += part))).toBe(0);
  expect(text.match(/▶ issue_comment against the simulated service/g)).toHaveLength(2);
  expect(text).toContain('outcome = pr-created');
  const [, thread = ''] = text.split('── The thread, as a reader sees it ──');
  expect(thread).toMatch(/┌ maintainer\n│ \/docs a\n└ 👀 1 {2}🚀 1/);
  expect(thread).toContain('is ready');
});
