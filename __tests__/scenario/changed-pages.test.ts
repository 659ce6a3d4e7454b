import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SimulatorCore } from '../../simulator/core.ts';
import type { SimulatedGitHub } from '../../simulator/github/github.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { memoryPlayer } from '../support/in-process/player.ts';
import { leaks } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import { firstWeek, merge, serve, untilReport } from '../support/scenarios/changed-site.ts';
import { serviceInputs } from '../support/usual.ts';
import { asRead, expectOwnMarkdownOnly } from '../unit/visitors/rendered.ts';
import { hostilePaths } from '../unit/visitors/site.ts';

/* A weekly report on the pages that changed: what can go wrong, and what is then said. */

const docsToken = 'ghs_fake_docs_0000simulated0000';
const repository = { 'docs-repository': 'octo-org/handbook' };
let player: ReturnType<typeof memoryPlayer>;
let core: SimulatorCore;
let docs: SimulatedGitHub;

beforeEach(() => {
  player = memoryPlayer({ clock: { start: Date.parse(firstWeek) } });
  core = player.core;
  docs = core.elsewhere;
  docs.addToken(docsToken, {
    issues: 'none',
    'pull-requests': 'read',
    checks: 'none',
    actions: 'none',
  });
  docs.addUser('acme-docs[bot]', { type: 'Bot', permission: 'none' });
  docs.git.commit({
    files: {
      'docs/docs.json': '{}',
      'docs/guides/start.mdx': '1',
      'docs/old.mdx': 'long '.repeat(99),
    },
  });
  read(['/guides/start', '/old', '/new', '/other']);
});

const [steady, ended, begun] = [
  [80, 80, 80, 80, 80, 80, 80, 80, 80],
  [60, 60, 60, 60, 60, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 55, 60, 65, 60],
];

/** Lets the service answer with these paths. Most of them have as many visitors as usual. */
function read(paths: readonly string[], visitors = [steady, ended, begun]): void {
  const people = steady.map((_, week) =>
    paths.map((_, page) => (visitors[page] ?? steady)[week] ?? 0),
  );
  const ai = people.map((week) => week.map((count) => Math.floor(count / 4)));
  serve(core, { people, ai }, (page) => paths[page] ?? '');
}

async function report(inputs: Record<string, string> = {}) {
  untilReport(core);
  const all = {
    ...serviceInputs(core),
    mode: 'visitors',
    'docs-token': docsToken,
    ...repository,
    ...inputs,
  };
  const before = core.requests.length;
  const run = await player.play({ event: core.github.scheduleEvent(), inputs: all, runId: 7 });
  expect([core.violations, leaks(core, run)]).toEqual([[], []]);
  const sent = core.requests.slice(before);
  const ofChanges = sent.filter(({ path }) =>
    /\/(?:handbook|manual|docs)(?:\/pulls|\/git|$)/.test(path),
  ).length;
  const service = sent.filter(({ to }) => to === 'service').length;
  const text = asRead(run.summary);
  const fold = text.split('<summary>Pages that changed')[1]?.split('</details>')[0] ?? '';
  return { ...run, text, fold, ofChanges, service };
}

const edit = (week: number, more: object = {}) =>
  merge(core, docs, week, { 'docs/guides/start.mdx': `${week} ${docs.threads.size}`, ...more });

test('a pull request whose diff is too large for GitHub is counted as unread, and the others are reported', async () => {
  edit(4);
  merge(core, docs, 5, { 'docs/new.mdx': 'new' });
  // The one that was merged last is read first.
  core.faults.refuse(routes.readFiles, 422);
  const { text, fold } = await report();
  expect(text).toContain('The page edited since');
  expect(fold).toContain('1 other pull request wasn’t read.');
});

test('a repository without a name is for the projects that have none of their own, in any order', async () => {
  edit(4);
  const one = await report({
    'docs-repository': `octo-org/nothing\nprj_simulated_docs: octo-org/handbook`,
  });
  expect(one.text).toContain('The page edited since');
});

test('last year is compared although one week of the baseline had no visitors', async () => {
  read(
    ['/a', '/b'],
    [
      [80, 80, 80, 80, 0, 80, 80, 80, 80],
      [9, 9, 9, 9, 0, 9, 9, 9, 9],
    ],
  );
  const { service } = await report({ 'docs-repository': '', baseline: '7' });
  expect(service).toBe(10);
});

test('a token in the wrong input isn’t in the files', async () => {
  await report({ 'docs-repository': `${docsToken}/x`, 'report-dir': 'rep' });
  const written = [...player.files.all().values()].join('\n');
  expect(written).toContain('doesn’t exist, or can’t be read');
  expect(written).not.toContain(docsToken);
});

describe('a report', () => {
  test('says what became of pages that moved, and of what else changed', async () => {
    const move = { 'docs/old.mdx': null, 'docs/new.mdx': 'long '.repeat(99) };
    merge(core, docs, 4, move, { author: 'acme-docs[bot]' });
    edit(4, { 'docs/snippets/note.mdx': '2', 'docs/draft.mdx': '1', 'src/code.ts': '1' });
    edit(5);
    const { text, fold, outputs, ofChanges } = await report();
    const said = (path: string) =>
      `\nOf 3 pages edited since Oct 15, 1 is new, 1 is no longer visited (${path}), and 1 is as before.\n`;
    expect(text).toContain(said('`/old`'));
    expect(outputs.digest).toContain(said('/old'));
    expect(outputs).toMatchObject({ outcome: 'reported', complete: 'true' });
    expect(fold).toMatchSnapshot();
    expect(ofChanges).toBe(6);
  });

  test.each([
    ['the input is empty', { 'docs-repository': '' }],
    ['it is about a month', { period: 'last-month' }],
    ['it compares nothing', { compare: 'none' }],
  ])('says nothing if %s', async (_, inputs) => {
    edit(4);
    const { text, ofChanges } = await report(inputs);
    expect([text.includes('that changed'), ofChanges]).toEqual([false, 0]);
  });

  test('says nothing about changes if there were no visitors at all', async () => {
    edit(4);
    read(['/guides/start'], [steady.with(8, 0)]);
    const { text } = await report();
    expect(text).toContain('No visitors were recorded');
    expect(text).not.toMatch(/that changed|no longer visited/);
  });

  test('reads at most 30 pull requests with 36 requests, and stops when few remain', async () => {
    for (let week = 1; week < 8; week += 1)
      for (let pull = 0; pull < 5; pull += 1) edit(week, { [`docs/${pull}.mdx`]: `${week}` });
    const run = await report();
    expect(run.ofChanges).toBe(33);
    expect(run.fold).toContain('30 changes');
    expect(run.fold).toContain('5 other pull requests weren’t read.');
    docs.requestsLeft = 199;
    const { text, ofChanges, outputs } = await report();
    expect([ofChanges, outputs.complete]).toEqual([2, 'true']);
    expect(text).toContain(
      '**The pages that changed are missing.** GitHub’s hourly limit has nearly been',
    );
  });

  test('reads a repository that was renamed with one request more', async () => {
    for (let week = 1; week < 8; week += 1) edit(week);
    const { ofChanges, text } = await report();
    docs.rename('manual');
    const renamed = await report();
    expect(renamed.ofChanges).toBe(ofChanges + 1);
    expect(renamed.text.replaceAll('/manual/', '/handbook/')).toBe(text);
  });

  test('reads the first 100 files of a pull request', async () => {
    edit(
      4,
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`docs/z/${index}.mdx`, '1'])),
    );
    const { fold, ofChanges } = await report();
    expect(fold).toContain('Of 1 pull request, only the first 100 files were read.');
    expect(fold).toContain('99 files of pages that no one visited aren’t counted.');
    expect(ofChanges).toBe(4);
  });

  test('is about this repository, too, with the token of the workflow', async () => {
    core.github.git.commit({ files: { 'docs.json': '{}', 'other.mdx': '1' } });
    merge(core, core.github, 4, { 'other.mdx': '2' });
    const { text, ofChanges } = await report({ 'docs-repository': 'Octo-Org/docs' });
    expect(text).toContain('The page edited since Oct 15 is as before.');
    expect(ofChanges).toBe(4);
  });

  test('reads each repository of several projects once, and says what changed in each', async () => {
    edit(4);
    const projects = { 'project-id': `${core.service.projectId} = Guides\nb = API: new\nc` };
    for (const id of ['b', 'c']) core.service.addProject({ ...DEFAULT_PROJECT, id });
    const two = { 'docs-repository': 'Guides: octo-org/handbook\nAPI: new: octo-org/handbook' };
    const { text, ofChanges, outputs } = await report({ ...projects, ...two });
    expect(text.match(/The page edited since Oct 15 is as before\./g)).toHaveLength(2);
    for (const said of [text, outputs.digest])
      expect(said).toContain('\nAll 2 pages edited since Oct 15 are as before.\n');
    expect(ofChanges).toBe(4);
    expect(outputs.outcome).toBe('reported');
  });
});

describe('a repository', () => {
  const unseen =
    'The pages that changed are missing.** `octo-org/handbook` doesn’t exist, or can’t be read. The token (`docs-token`, or else `github-token`) needs `contents: read` and `pull-requests: read` there.';
  test.each<[string, () => void]>([
    ['doesn’t exist', () => Object.assign(docs.repository, { name: 'elsewhere' })],
    [
      'is private, and the token can’t see it',
      () => {
        docs.repository.isPrivate = true;
        docs.tokens.clear();
        docs.isKnownElsewhere = () => true;
      },
    ],
    [
      'doesn’t let the token read pull requests',
      () => docs.addToken(docsToken, { 'pull-requests': 'none' }),
    ],
    ['doesn’t let the token read files', () => docs.addToken(docsToken, { contents: 'none' })],
  ])('that %s is one sentence, and the report is complete', async (_, change) => {
    edit(4);
    change();
    const { text, outputs } = await report();
    expect(text).toContain(unseen);
    expect(text.split('are missing').length).toBe(2);
    expect(outputs).toMatchObject({ outcome: 'reported', reason: 'complete', complete: 'true' });
    expect(JSON.parse(outputs.result ?? '').changed).toEqual({ problem: unseen.split('** ')[1] });
  });

  test.each([
    [true, false, 'bad-input'],
    [true, true, 'complete'],
    [false, false, 'complete'],
    [false, true, 'complete'],
  ])(
    'that is private (%j) may be reported in one that is private (%j): %s',
    async (isPrivate, isOwnPrivate, reason) => {
      edit(4);
      docs.repository.isPrivate = isPrivate;
      core.github.repository.isPrivate = isOwnPrivate;
      const { outputs, text, service } = await report();
      expect(outputs.reason).toBe(reason);
      if (reason === 'complete') return;
      expect(service).toBe(0);
      expect(text).toContain(
        '`docs-repository` names `octo-org/handbook`, which is private, but this repository is public',
      );
    },
  );

  test('whose files GitHub doesn’t list in full begins at its root', async () => {
    docs.git.commit({ files: { 'guides/start.mdx': '1' } });
    merge(core, docs, 4, { 'guides/start.mdx': '2', 'docs/old.mdx': '3' });
    docs.listLimits.treeEntries = 3;
    const { text, fold } = await report();
    expect(text).toContain('The page edited since Oct 15 is as before.');
    expect(fold).toContain('GitHub didn’t list all files');
  });

  test('can’t put anything of its own into the report', async () => {
    const paths = hostilePaths.filter((path) => path.startsWith('/'));
    read(paths, []);
    const files = Object.fromEntries(paths.map((path) => [`docs${path}.mdx`, '1']));
    merge(core, docs, 4, files, { title: '</details> @everyone **#1** [x](https://evil.example)' });
    const { summary, fold } = await report({ top: '60' });
    const links = /\[&#35;1\]\(<https:\/\/github\.com\/octo-org\/handbook\/pull\/1>\)/g;
    expect(summary.match(links)?.length).toBeGreaterThan(10);
    expectOwnMarkdownOnly(summary.replace(links, ''));
    expect(fold).not.toContain('**#1**');
  });
});
