import { serviceInputs } from '../../__tests__/support/usual.ts';
import { changesBetween, patchOf } from '../../simulator/github/repository/diff.ts';
import type { GitTree } from '../../simulator/github/repository/git.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { openAgentsPullRequest } from '../../simulator/play/agents-pull-request.ts';
import type { Shown } from '../../simulator/play/page.ts';
import { runAction, runPost } from '../../simulator/runner/runner.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { reportScenes } from './reports.ts';
import type { Scene } from './scene.ts';

const THREAD = 12;
const ours = 'github-actions bot';
const ask = '/docs add a quickstart for the Python SDK';

async function withSimulator<T>(play: (simulator: Simulator) => Promise<T>): Promise<T> {
  const simulator = await startSimulator({ clock: { start: '2026-03-09T06:00:00Z' } });
  try {
    simulator.github.addThread({ number: THREAD, title: 'The quickstart is out of date' });
    return await play(simulator);
  } finally {
    await simulator.close();
  }
}

/** Writes a comment, and runs the action on it. */
async function say(simulator: Simulator, body: string, login = 'maintainer'): Promise<void> {
  const comment = simulator.github.comment(login, THREAD, body);
  const event = simulator.github.issueCommentEvent(comment);
  await runPost(await runAction({ simulator, event, inputs: serviceInputs(simulator) }));
}

/** Runs collect mode, with a reminder after three days. Returns the job summary. */
async function collect(simulator: Simulator): Promise<string> {
  const inputs = { ...serviceInputs(simulator), mode: 'collect', 'remind-after': '3 days' };
  return (await runAction({ simulator, event: simulator.github.scheduleEvent(), inputs })).summary;
}

/** The status comment of a command after each result of a check: of the pull request, and then of its merge. */
function afterChecks(open: readonly string[], merged: readonly string[]): Scene['play'] {
  return () =>
    withSimulator(async (simulator) => {
      const { github } = simulator;
      const number = openAgentsPullRequest(github);
      await say(simulator, ask);
      const shown: Shown[] = [];
      const check = async (sha: string, conclusion: string) => {
        github.checks.add(sha, { conclusion });
        await collect(simulator);
        shown.push(...conversation(simulator).filter(({ by }) => by === ours));
      };
      for (const conclusion of open)
        await check(github.pullRequests.of(number).head.sha, conclusion);
      const { sha } = github.pullRequests.merge(number);
      for (const conclusion of merged) await check(sha, conclusion);
      return shown;
    });
}

/** Removes the hidden first line of a comment. */
function asRead(body: string): string {
  return body.replace(/^<!--.*-->\n/, '');
}

function conversation({ github }: Simulator, thread = THREAD): Shown[] {
  return github.commentsOf(thread).map(({ login, body, reactions }) => ({
    by: login.endsWith('[bot]') ? ours : login,
    markdown: asRead(body),
    reactions: reactions.map(({ content }) => content),
  }));
}

/** The head of a pull request's page, and the files that it changes. */
function pullRequestPage({ github }: Simulator, number: number): Shown {
  const { head, base } = github.pullRequests.of(number);
  const treeOf = (sha: string): GitTree => github.git.commits.get(sha)?.tree ?? new Map();
  const files = changesBetween(treeOf(base.sha), treeOf(head.sha)).map((change) => {
    const { added = 0, removed = 0 } = patchOf(change) ?? {};
    return `| \`${change.path}\` | +${added} −${removed} |`;
  });
  const lines = [
    `### ${github.thread(number).title} #${number}`,
    `🟢 **Open**, to be merged into \`${base.ref}\``,
    ['| Changed file | Lines |', '| :-- | --: |', ...files].join('\n'),
  ];
  return { markdown: lines.join('\n\n') };
}

/** Reviews the agent's pull request, and runs the action on the review. */
async function review(simulator: Simulator): Promise<Shown[]> {
  const { github, service } = simulator;
  service.script({ activeMs: 150_000 });
  await say(simulator, ask);
  github.addUser('docs-agent[bot]', { type: 'Bot', permission: 'none' });
  const { git, pullRequests, reviews } = github;
  const [path, branch] = ['docs/quickstart.md', 'quickstart'];
  git.commit({ files: { 'README.md': '# Docs\n' } });
  git.branch(branch);
  git.commit({ branch, files: { [path]: '# Quickstart\nInstall the SDK.\n' } });
  const title = 'Add a quickstart for the Python SDK';
  pullRequests.open({ number: 101, head: branch, author: 'docs-agent[bot]', title });
  simulator.once({ at: 'POST /v2/agent/{project}/job/{id}/message', phase: 'handled' }, () => {
    git.commit({
      branch,
      files: { [path]: '# Quickstart\nFor Python 3.10 and later.\n\n    pip install sdk\n' },
    });
    pullRequests.update(101);
  });
  const file = { path, hunk: '@@ -0,0 +1,2 @@\n+# Quickstart\n+Install the SDK.' };
  const given = reviews.submit('maintainer', 101, '/docs please change these two', [
    { ...file, line: 1, body: 'Say which versions of Python it needs.' },
    { ...file, line: 2, body: 'Show the command.' },
  ]);
  const event = github.reviewEvent(given);
  await runPost(await runAction({ simulator, event, inputs: serviceInputs(simulator) }));
  const remarks = reviews
    .commentsOf(given)
    .map(({ path, line, body }) => `> **${path}**, line ${line}\n>\n> ${body}`);
  const markdown = [given.body, ...remarks].join('\n\n<!-- -->\n\n');
  return [{ by: given.login, markdown }, ...conversation(simulator, 101)];
}

function written(prepare: (simulator: Simulator) => Promise<void>): Scene['play'] {
  return () =>
    withSimulator(async (simulator) => {
      await prepare(simulator);
      return conversation(simulator).filter(({ by }) => by === ours);
    });
}

/** The action's comments after some commands. */
function afterCommands(...commands: readonly string[]): Scene['play'] {
  return written(async (simulator) => {
    for (const command of commands) await say(simulator, command);
  });
}

/** The action's comment on a command whose job follows a script. */
function afterJob(script: Partial<JobScript>): Scene['play'] {
  return written(async (simulator) => {
    simulator.service.script(script);
    await say(simulator, ask);
  });
}

/** The action's comment after the service rejects a request. */
function afterRefusal(status: number, answer = {}): Scene['play'] {
  return written(async (simulator) => {
    simulator.faults.refuse('POST /v2/agent/{project}/job', status, answer);
    await say(simulator, ask);
  });
}

function summaryOf(inputs: Record<string, string>): Promise<Shown[]> {
  return withSimulator(async (simulator) => {
    const { summary } = await runAction({
      simulator,
      inputs: { ...serviceInputs(simulator), ...inputs },
    });
    return [{ markdown: summary }];
  });
}

/** Everything that users see, from runs of the bundle against the simulator. */
export const scenes: readonly Scene[] = [
  {
    name: 'thread',
    isPicture: true,
    play: () =>
      withSimulator(async (simulator) => {
        simulator.service.script({ activeMs: 150_000 });
        const number = openAgentsPullRequest(simulator.github);
        await say(simulator, ask);
        return [...conversation(simulator), pullRequestPage(simulator, number)];
      }),
  },
  {
    name: 'follow-up',
    play: () =>
      withSimulator(async (simulator) => {
        const number = openAgentsPullRequest(simulator.github);
        await say(simulator, ask);
        simulator.once(
          { at: 'POST /v2/agent/{project}/job/{id}/message', phase: 'handled' },
          () => {
            const { git, pullRequests } = simulator.github;
            const branch = pullRequests.of(number).head.ref;
            git.commit({
              branch,
              files: { 'docs/quickstart/python.mdx': 'Shorter.\n'.repeat(98) },
            });
            pullRequests.update(number);
          },
        );
        await say(simulator, '/docs shorter, and with the async client');
        return conversation(simulator);
      }),
  },
  { name: 'review', isPicture: true, play: () => withSimulator(review) },
  {
    name: 'merged',
    play: written(async (simulator) => {
      const { github } = simulator;
      const number = openAgentsPullRequest(github);
      await say(simulator, ask);
      simulator.clock.advance(4 * 86_400_000);
      await collect(simulator);
      github.pullRequests.merge(number);
      await collect(simulator);
    }),
  },
  { name: 'checks', isPicture: true, play: afterChecks(['failure', 'success'], ['success']) },
  { name: 'not-published', play: afterChecks([], ['failure']) },
  {
    name: 'cap',
    play: written(async (simulator) => {
      for (const text of [ask, '/docs shorter']) {
        const event = simulator.github.issueCommentEvent(
          simulator.github.comment('maintainer', THREAD, text),
        );
        const inputs = { ...serviceInputs(simulator), 'max-jobs': '1 per week' };
        await runAction({ simulator, event, inputs });
      }
    }),
  },
  {
    name: 'ledger',
    play: () =>
      withSimulator(async (simulator) => {
        const number = openAgentsPullRequest(simulator.github);
        await say(simulator, ask);
        simulator.service.script({ end: 'failed' });
        await say(simulator, '/docs --new explain rate limits');
        simulator.clock.advance(86_400_000);
        simulator.github.checks.add(simulator.github.pullRequests.merge(number).sha);
        return [{ markdown: await collect(simulator) }];
      }),
  },
  // The status comments of one command from the start to the end, and then one for each other outcome.
  {
    name: 'at-work',
    play: () =>
      withSimulator(async (simulator) => {
        await say(simulator, ask);
        const [, status] = simulator.github.commentsOf(THREAD);
        return (status?.history ?? []).map(({ body }) => ({ by: ours, markdown: asRead(body) }));
      }),
  },
  { name: 'no-pull-request', play: afterJob({ prLink: null }) },
  { name: 'job-failed', play: afterJob({ end: 'failed', prLink: null }) },
  { name: 'still-running', play: afterJob({ end: 'never' }) },
  { name: 'left-running', play: afterCommands('/docs --no-wait add a quickstart') },
  { name: 'unconfirmed', play: afterRefusal(502) },
  { name: 'hourly-limit', play: afterRefusal(429, { retryAfter: 3_600 }) },
  { name: 'forbidden', play: afterRefusal(403) },
  { name: 'not-allowed', play: written((simulator) => say(simulator, ask, 'stranger')) },
  { name: 'help', play: afterCommands('/docs help') },
  { name: 'status', play: afterCommands(ask, '/docs status') },
  {
    name: 'follow-up-unseen',
    play: written(async (simulator) => {
      await say(simulator, ask);
      simulator.service.script({ staleMs: Number.POSITIVE_INFINITY });
      await say(simulator, '/docs shorter');
    }),
  },
  { name: 'summary', play: () => summaryOf({ prompt: 'Add a quickstart for the Python SDK.' }) },
  { name: 'bad-input', play: () => summaryOf({ 'prompt-file': 'docs/prompt.md' }) },
  {
    name: 'bad-inputs',
    play: () =>
      summaryOf({ mode: 'visitors', pages: '/[', alerts: 'total <', 'time-zone': 'Mars/Olympus' }),
  },
  ...reportScenes,
];
