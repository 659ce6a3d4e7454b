import { describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { openPullRequest } from '../support/in-process/changes.ts';
import type { MemoryRun } from '../support/in-process/play.ts';
import { memoryPlayer } from '../support/in-process/player.ts';
import { endOf, type Played } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { serviceInputs, THREAD } from '../support/usual.ts';

/* A dry run writes nothing, and predicts correctly what the same run does without `dry-run`. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const rotatedKey = 'mint_fake_rotated_0000';

type Inputs = Readonly<Record<string, string>>;

/** A run on an event. Its inputs are added to the usual ones. */
type Given = Partial<MemoryRun> & Pick<MemoryRun, 'event'>;

class World {
  readonly player = memoryPlayer();
  readonly core = this.player.core;

  constructor() {
    this.core.github.addThread({ number: THREAD });
    this.core.service.script({ activeMs: 10 * minuteMs });
  }

  says(text = '/docs add a quickstart', login = 'maintainer'): WebhookEvent {
    return this.core.github.issueCommentEvent(this.core.github.comment(login, THREAD, text));
  }

  play({ inputs, ...run }: Given): Promise<Played> {
    return this.player.play({
      runId: 1,
      ...run,
      inputs: { ...serviceInputs(this.core), ...inputs },
    });
  }

  async asked(script: Partial<JobScript> = {}, given: Partial<Given> = {}): Promise<WebhookEvent> {
    const { event = this.says() } = given;
    this.core.service.scriptNext(script);
    await this.play({ ...given, event });
    return event;
  }

  /** Sends a command whose run doesn't wait for its job. */
  left(script: Partial<JobScript> = {}): Promise<WebhookEvent> {
    return this.asked({ activeMs: 20 * minuteMs, ...script }, { inputs: { wait: 'false' } });
  }

  /** Runs a follow-up that the agent never picks up. */
  async messaged(inputs: Inputs = {}): Promise<WebhookEvent> {
    await this.asked();
    this.core.service.scriptNextMessage({ staleMs: Number.POSITIVE_INFINITY });
    return this.asked({}, { event: this.says('/docs more'), inputs });
  }

  /** Sends a command whose run is killed before or after one of its requests is handled. */
  async lost(
    at: keyof typeof routes,
    phase: 'arrived' | 'handled' = 'arrived',
  ): Promise<WebhookEvent> {
    const event = this.says();
    await this.play({ event, killAt: { at: routes[at], phase } });
    return event;
  }

  /** Sends a command whose run is canceled before it sends the prompt. */
  async canceled(): Promise<WebhookEvent> {
    const event = this.says();
    await this.play({ event, cancelAt: { at: routes.readThread, nth: 3, phase: 'handled' } });
    return event;
  }

  /** Adds a pull request, and returns a run on it with `continue: repository`. */
  change(number: number): Given {
    this.core.github.addThread({ number, isPullRequest: true });
    const event = this.core.github.pullRequestEvent(number);
    return { event, runId: number, inputs: { prompt: 'Follow it.', continue: 'repository' } };
  }

  /** Makes something happen after a command was run, and returns the command's event. */
  async since(
    before: Promise<WebhookEvent>,
    happens: 'an hour' | 'gone' | 'archived',
  ): Promise<WebhookEvent> {
    const event = await before;
    if (happens === 'an hour') this.core.clock.advance(hourMs);
    else if (happens === 'gone') this.core.service.forget('job_0001');
    else this.core.service.jobs[0]?.end('archived');
    return event;
  }

  ofInputs(inputs: Inputs): Given {
    return { event: this.core.github.workflowDispatchEvent(), inputs };
  }
}

type Does =
  | 'create'
  | 'nothing'
  | 'message'
  | 'attach'
  | 'report'
  | 'answer'
  | `failed (${string})`;

/** A state of the thread, and what three runs do in it: a second run for its command, a later attempt, and a new command. */
type Row = [
  string,
  before: (w: World) => Promise<WebhookEvent>,
  another: Does,
  again: Does,
  more: Does,
];

const missing = 'failed (not-found)';
const states: Row[] = [
  ['no status comment', async (w) => w.says(), 'create', 'create', 'create'],
  ['a lost run’s claim', (w) => w.lost('createJob'), 'nothing', 'nothing', 'create'],
  [
    'that claim later',
    (w) => w.since(w.lost('createJob'), 'an hour'),
    'nothing',
    'nothing',
    'create',
  ],
  ['a lost run’s request', (w) => w.lost('createJob', 'handled'), 'nothing', 'nothing', 'create'],
  ['a freed claim', (w) => w.canceled(), 'create', 'create', 'create'],
  ['a job being watched', (w) => w.lost('getJob'), 'nothing', 'attach', 'message'],
  [
    'a job no longer watched',
    (w) => w.since(w.lost('getJob'), 'an hour'),
    'report',
    'report',
    'message',
  ],
  ['a job left running', (w) => w.left(), 'attach', 'attach', 'message'],
  [
    'a job left running, now ended',
    (w) => w.since(w.left(), 'an hour'),
    'report',
    'report',
    'message',
  ],
  [
    'that job, but failed',
    (w) => w.since(w.left({ end: 'failed' }), 'an hour'),
    'report',
    'create',
    'message',
  ],
  ['a job left running, now gone', (w) => w.since(w.left(), 'gone'), missing, 'create', 'create'],
  [
    'a job that outlasts its run',
    (w) => w.asked({ activeMs: hourMs }),
    'attach',
    'attach',
    'message',
  ],
  ['a job with a pull request', (w) => w.asked(), 'report', 'report', 'message'],
  ['a job without a pull request', (w) => w.asked({ prLink: null }), 'report', 'report', 'message'],
  ['a job that failed', (w) => w.asked({ end: 'failed' }), 'report', 'create', 'message'],
  ['a job that was archived', (w) => w.asked({ end: 'archived' }), 'report', 'create', 'create'],
  [
    'an ended job, now archived',
    (w) => w.since(w.asked(), 'archived'),
    'report',
    'create',
    'create',
  ],
  ['an ended job, now gone', (w) => w.since(w.asked(), 'gone'), missing, 'create', 'create'],
  ['a follow-up not picked up', (w) => w.messaged(), 'report', 'report', 'message'],
  [
    'a follow-up not picked up yet',
    (w) => w.messaged({ wait: 'false' }),
    'attach',
    'attach',
    'message',
  ],
  ['a request without a response', (w) => unanswered(w), 'nothing', 'nothing', 'create'],
  [
    'an answer to help',
    (w) => w.asked({}, { event: w.says('/docs help') }),
    'answer',
    'answer',
    'create',
  ],
  ['a denied command', (w) => denied(w), 'create', 'create', 'create'],
];

function unanswered(w: World): Promise<WebhookEvent> {
  w.core.faults.add({ at: routes.createJob, kind: 'reset', when: 'after-handled' });
  return w.asked();
}

/** Runs a command by someone who had no permission at that time, but has it now. */
async function denied(w: World): Promise<WebhookEvent> {
  const refused = await w.asked({}, { event: w.says('/docs add a quickstart', 'newcomer') });
  w.core.github.addUser('newcomer', { permission: 'write' });
  return refused;
}

describe.each(states)('%s', (_, stage, another, again, more) => {
  test.each([
    ['a second run', { runId: 2 }, another],
    ['a later attempt', { attempt: 2 }, again],
  ])('%s', async (_name, identity, does) => {
    const world = new World();
    await expectAgreement(world, { event: await stage(world), ...identity }, does);
  });

  test('a new command', async () => {
    const world = new World();
    await stage(world);
    await expectAgreement(world, { event: world.says('/docs more'), runId: 2 }, more);
  });
});

const others: [state: string, given: (w: World) => Promise<Given> | Given, does: Does][] = [
  ['no thread', (w) => w.ofInputs({ prompt: 'Follow it.' }), 'create'],
  [
    'an invalid key',
    (w) => w.ofInputs({ prompt: 'x', 'api-key': 'mint_x' }),
    'failed (unauthorized)',
  ],
  ['an unknown project', (w) => w.ofInputs({ prompt: 'x', 'project-id': 'none' }), missing],
  ['a job, and --new', (w) => commanded(w, '/docs --new more'), 'create'],
  ['a job, and --no-wait', (w) => commanded(w, '/docs --no-wait more'), 'message'],
  ['a job, and no wait', (w) => commanded(w, '/docs more', { wait: 'false' }), 'message'],
  ['a later attempt that does not wait', (w) => leftTwice(w), 'attach'],
  ['a different key', (w) => rotated(w, 1), 'create'],
  ['a different key, in a later attempt', (w) => rotated(w, 2), 'nothing'],
  ['job-id', (w) => withJob(w, {}), 'attach'],
  ['job-id, and no wait', (w) => withJob(w, { wait: 'false' }), 'attach'],
  ['job-id and a prompt', (w) => withJob(w, { prompt: 'More.' }), 'message'],
  ['job-id of an unknown job', (w) => w.ofInputs({ 'job-id': 'job_0009' }), missing],
  [
    'that job-id, and a prompt',
    (w) => w.ofInputs({ 'job-id': 'job_0009', prompt: 'More.' }),
    missing,
  ],
  ['a series with an open pull request', (w) => series(w, 'open'), 'message'],
  ['a series with a closed one', (w) => series(w, 'closed'), 'create'],
  ['a series with none', (w) => w.change(51), 'create'],
  ['a change that needs no docs', (w) => irrelevant(w), 'nothing'],
];

async function commanded(w: World, text: string, inputs: Inputs = {}): Promise<Given> {
  await w.left();
  return { event: w.says(text), runId: 2, inputs };
}

async function leftTwice(w: World): Promise<Given> {
  return { event: await w.left(), attempt: 2, inputs: { wait: 'false' } };
}

async function rotated(w: World, attempt: number): Promise<Given> {
  const event = await w.asked();
  w.core.service.addKey(rotatedKey);
  return { event, attempt, inputs: { 'api-key': rotatedKey } };
}

async function withJob(w: World, inputs: Inputs): Promise<Given> {
  await w.left();
  return w.ofInputs({ 'job-id': 'job_0001', ...inputs });
}

/** A second change. The first change's job created pull request 101. */
async function series(w: World, state: 'open' | 'closed'): Promise<Given> {
  await w.play(w.change(50));
  w.core.github.addThread({ number: 101, isPullRequest: true, state });
  return w.change(51);
}

function irrelevant(w: World): Given {
  w.core.github.git.commit({ files: { 'README.md': 'Docs\n' } });
  const event = w.core.github.pullRequestEvent(openPullRequest(w.core.github));
  return { event, inputs: { prompt: 'Follow it.', context: 'changes', paths: 'docs/**' } };
}

test.each(others)('%s', async (_, given, does) => {
  const world = new World();
  await expectAgreement(world, await given(world), does);
});

async function expectAgreement(world: World, given: Given, does: Does): Promise<void> {
  const { requests } = world.core;
  const [before, rehearsal] = [requests.length, { ...given.inputs, 'dry-run': 'true' }];
  const dry = await world.play({ ...given, inputs: rehearsal });
  const sent = requests.slice(before);
  expect(sent.filter(({ method }) => method !== 'GET').map(({ route }) => route)).toEqual([]);
  expect(dry.state.run).toBeUndefined();
  expect(wouldDo(dry)).toBe(does);
  const real = await world.play(given);
  // A run that reports a finished job attaches to it, too.
  expect(did(real, requests.slice(before + sent.length))).toBe(does === 'report' ? 'attach' : does);
}

/** The action that a dry run predicts. The only job is job_0001. */
function wouldDo({ outputs }: Played): string {
  const { dryRun = '', outcome, reason } = JSON.parse(outputs.result ?? '{}');
  if (outcome === 'failed') return `failed (${reason})`;
  const nothing = 'would send nothing to the agent: ';
  const [words] = [
    ['create', /^would create a job in project `prj_simulated_docs` at .* has `write` scope\.$/],
    ['message', /^would send the prompt to job `job_0001` \(`\w+`\) of project /],
    [
      'attach',
      new RegExp(`^(${nothing}.* This run )?would follow job \`job_0001\` \\(\`\\w+\`\\) and `),
    ],
    [
      'report',
      new RegExp(`^${nothing}.* This run would report job \`job_0001\` \\(\`\\w+\`\\) again\\.$`),
    ],
    [missing, new RegExp(`^${nothing}.* no longer has this job\\.`)],
    ['nothing', new RegExp(`^${nothing}`)],
    ['answer', /^would answer `help` in the thread\.$/],
  ].filter(([, pattern]) => dryRun.match(pattern) !== null);
  return String(words?.[0] ?? dryRun);
}

/** The action that a run took. */
function did({ outputs }: Played, sent: readonly RecordedRequest[]): string {
  const asked = sent.filter(({ to, method }) => to === 'service' && method === 'POST');
  if (asked.length > 1) return `${asked.length} requests that cost`;
  if (/^(not-found|unauthorized)$/.test(outputs.reason ?? '')) return endOf({ outputs });
  if (asked.some(isFor(routes.createJob))) return 'create';
  if (asked.length === 1)
    return asked[0]?.path.includes('/job_0001/') ? 'message' : 'message to another job';
  if (outputs.reason === 'help') return 'answer';
  return outputs['job-id'] === 'job_0001' && sent.some(isFor(routes.getJob)) ? 'attach' : 'nothing';
}
