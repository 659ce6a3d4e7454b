import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { runAction, runPost } from '../../simulator/runner/runner.ts';
import type { Shown } from './render.ts';

/** One page to look at. */
export interface Scene {
  readonly name: string;
  readonly shown: readonly Shown[];
  /** Whether the README shows it. */
  readonly isPicture: boolean;
}

const THREAD = 12;
const ours = 'github-actions bot';

/** What people meet, from real runs of the bundle against the simulator. */
export async function scenes(): Promise<Scene[]> {
  return [await thread(), ...(await ends()), await report('report', {}), await incompleteReport()];
}

async function withSimulator<T>(play: (simulator: Simulator) => Promise<T>): Promise<T> {
  const simulator = await startSimulator({ clock: { start: '2026-03-09T06:00:00Z' } });
  try {
    simulator.github.addThread({ number: THREAD, title: 'The quickstart is out of date' });
    return await play(simulator);
  } finally {
    await simulator.close();
  }
}

function inputsFor({ url, service }: Simulator): Record<string, string> {
  return { 'base-url': url, 'api-key': service.apiKey, 'project-id': service.projectId };
}

/** Somebody comments, and the action runs on it to its end. */
async function say(simulator: Simulator, body: string, login = 'maintainer', inputs = {}): Promise<void> {
  const comment = simulator.github.comment(login, THREAD, body);
  const event = simulator.github.issueCommentEvent(comment);
  await runPost(await runAction({ simulator, event, inputs: { ...inputsFor(simulator), ...inputs } }));
}

/** A comment without its marker, as its readers see it. */
function asRead(body: string): string {
  return body.replace(/^<!--.*-->\n/, '');
}

function conversation({ github }: Simulator): Shown[] {
  return github
    .commentsOf(THREAD)
    .map(({ login, body }) => ({ by: login.endsWith('[bot]') ? ours : login, markdown: asRead(body) }));
}

function thread(): Promise<Scene> {
  return withSimulator(async (simulator) => {
    simulator.service.script({ activeMs: 150_000 });
    await say(simulator, '/docs add a quickstart for the Python SDK');
    await say(simulator, '/docs shorter, and with the async client');
    return { name: 'thread', shown: conversation(simulator), isPicture: true };
  });
}

/** One status comment for every way to end, and what it says meanwhile. */
async function ends(): Promise<Scene[]> {
  const play = (name: string, prepare: (simulator: Simulator) => Promise<void>): Promise<Scene> =>
    withSimulator(async (simulator) => {
      await prepare(simulator);
      return { name, shown: conversation(simulator).filter(({ by }) => by === ours), isPicture: false };
    });
  const ask = '/docs add a quickstart for the Python SDK';
  return [
    await withSimulator(async (simulator) => {
      await say(simulator, ask);
      const [, status] = simulator.github.commentsOf(THREAD);
      const shown = (status?.history ?? []).map(({ body }) => ({ by: ours, markdown: asRead(body) }));
      return { name: 'at-work', shown, isPicture: false };
    }),
    await play('no-pull-request', async (simulator) => {
      simulator.service.script({ prLink: null });
      await say(simulator, ask);
    }),
    await play('job-failed', async (simulator) => {
      simulator.service.script({ end: 'failed', prLink: null });
      await say(simulator, ask);
    }),
    await play('still-running', async (simulator) => {
      simulator.service.script({ end: 'never' });
      await say(simulator, ask);
    }),
    await play('left-running', (simulator) => say(simulator, '/docs --no-wait add a quickstart')),
    await play('unconfirmed', async (simulator) => {
      simulator.faults.add({ at: 'POST /v2/agent/{project}/job', kind: 'status', status: 502 });
      await say(simulator, ask);
    }),
    await play('hourly-limit', async (simulator) => {
      const retryAfter = { form: 'seconds', seconds: 3_600 } as const;
      simulator.faults.add({ at: 'POST /v2/agent/{project}/job', kind: 'status', status: 429, retryAfter });
      await say(simulator, ask);
    }),
    await play('forbidden', async (simulator) => {
      simulator.faults.add({ at: 'POST /v2/agent/{project}/job', kind: 'status', status: 403 });
      await say(simulator, ask);
    }),
    await play('not-allowed', (simulator) => say(simulator, ask, 'stranger')),
    await play('help', (simulator) => say(simulator, '/docs help')),
    await play('status', async (simulator) => {
      await say(simulator, ask);
      await say(simulator, '/docs status');
    }),
  ];
}

function report(name: string, inputs: Record<string, string>, weeks = 8): Promise<Scene> {
  return withSimulator(async (simulator) => {
    simulator.service.visitors.script({ rows: 400 });
    const alerts = 'total < -30%\nai-share > 20%\nhuman /guides/** > 10% min 50';
    let summary = '';
    for (let week = 0; week < weeks; week += 1) {
      const run = await runAction({
        simulator,
        event: simulator.github.scheduleEvent(),
        inputs: { ...inputsFor(simulator), mode: 'visitors', alerts, ...inputs },
      });
      summary = run.summary;
      simulator.clock.advance(7 * 86_400_000);
    }
    return { name, shown: [{ markdown: summary }], isPicture: name === 'report' };
  });
}

function incompleteReport(): Promise<Scene> {
  return report('report-incomplete', { 'max-requests': '2' }, 1);
}
