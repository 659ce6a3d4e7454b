import { type Dispatcher, getGlobalDispatcher } from 'undici';
import type { SimulatorCore } from '../../../simulator/core.ts';
import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import type { AgentConfig } from '../../../src/agent/inputs.ts';
import { withTime } from '../../../src/core/clock.ts';
import type { Files } from '../../../src/runner/files.ts';
import { MemoryFiles } from '../files.ts';
import { withTrueResult } from '../oracle/result.ts';
import type { Played, Run } from '../played.ts';
import { context as usualContext } from '../samples/cards.ts';
import { outside } from '../samples/config.ts';
import { Life } from './life.ts';
import { recordingRunner } from './recording-runner.ts';
import { today, type Version } from './version.ts';

/** Only an in-memory simulator has a dispatcher; the other one uses sockets. */
type Core = SimulatorCore & { readonly dispatcher?: Dispatcher };

/** A machine is suspended at a request: before it gets out, or before its response gets in. */
export interface Suspension extends RequestMoment {
  /** The machine is suspended until this resolves, so it can do what happens in the meantime. */
  readonly until: () => Promise<unknown>;
}

/** Describes a run in this process. */
export interface MemoryRun extends Run {
  readonly files?: Files | undefined;
  /** Called before each request of the machine leaves it, which then waits. */
  readonly onLeave?:
    | ((request: { readonly method: string; readonly path: string }) => Promise<unknown>)
    | undefined;
  /** The request at which the machine is suspended. */
  readonly suspendAt?: Suspension | undefined;
  /** How far the machine's clock is ahead of GitHub's; less than 0 if it is behind. */
  readonly aheadMs?: (() => number) | undefined;
  /** The version of the action; today's by default. */
  readonly version?: Version | undefined;
}

/** Runs the action's main phase in this process. Only the runner and the network are replaced. */
export function playMain(core: Core, run: MemoryRun): Promise<Played> {
  return play(core, run);
}

/** Runs the post phase with the state that main saved. Like `post.ts`, it does nothing without that state. */
export async function playPost(
  core: Core,
  run: MemoryRun,
  main: Pick<Played, 'state'>,
): Promise<Played> {
  const saved = main.state.run ?? '';
  if (saved === '')
    return { runId: run.runId, exitCode: 0, outputs: {}, state: {}, summary: '', printed: '' };
  return play(core, run, saved);
}

async function play(core: Core, run: MemoryRun, saved?: string): Promise<Played> {
  const { event, inputs, runId, attempt = 1, workflow = 'docs.yml' } = run;
  const { killAt, cancelAt, suspendAt } = run;
  const { files = new MemoryFiles(), version = today } = run;
  const life = new Life(run);
  const cancel = new AbortController();
  const { signal } = cancel;
  const onCancel = () => cancel.abort(new version.ActionError('cancelled', 'The run was canceled'));
  const callOff = [
    ...(killAt === undefined ? [] : [core.once(killAt, () => life.kill())]),
    ...(cancelAt === undefined ? [] : [core.once(cancelAt, onCancel)]),
    ...(suspendAt === undefined
      ? []
      : [core.once(suspendAt, () => life.suspend(suspendAt.until, core.clock.within(signal)))]),
  ];
  const clock = life.clock(core.clock.within(signal), run.aheadMs);
  const network = life.dispatcher(core.dispatcher ?? getGlobalDispatcher());
  const { onLeave } = run;
  const dispatcher = onLeave === undefined ? network : holdRequests(network, onLeave);
  const runner = recordingRunner(() => !life.isOver);
  const { fullName: repository, json } = core.github;
  const repositoryUrl = `${json.serverUrl}/${repository}`;
  const context = {
    ...usualContext,
    eventName: event.name,
    payload: event.payload,
    isPrivate: core.github.repository.isPrivate,
    runId: String(runId),
    runAttempt: attempt,
    stepId: 'docs.__octo-org_docs-agent',
    apiUrl: core.githubUrl,
    repository,
    repositoryUrl,
    workflow: `${repository}/.github/workflows/${workflow}`,
    runUrl: `${repositoryUrl}/actions/runs/${runId}`,
    sha: core.github.git.branches.get('main') ?? '',
  };
  const docsToken = inputs['docs-token'];
  const scrub = version.createScrub([inputs['api-key'] ?? '', DEFAULT_TOKEN, docsToken ?? '']);
  const edge = { clock, signal, dispatcher, scrub };
  const guarded = version.guardRunner(runner, scrub);
  const work = async () => {
    const raw = { ...inputs, 'base-url': 'http://localhost', 'github-token': DEFAULT_TOKEN };
    const parsed = await version.parseConfig(raw, { ...outside, needsPrompt: false });
    // This is set after parsing, because the input `base-url` doesn't accept the in-memory simulator's URL.
    const config = { ...parsed, baseUrl: core.url };
    // The same as in `front-door.ts`, which reads the environment.
    const readsCommands =
      config.mode === 'agent' && config.prompt === undefined && config.jobId === undefined;
    const event = version.parseEvent(context.eventName, context.payload, readsCommands);
    const github = version.createGitHub({
      ...context,
      thread: 'thread' in event ? event.thread : undefined,
      token: DEFAULT_TOKEN,
      docsToken,
      debug: () => undefined,
      ...edge,
    });
    const deps = {
      service: version.createDocsService({ ...version.accessTo(config), ...edge }),
      github,
      runner: guarded,
      // Earlier versions of the action have only the machine's clock.
      clock: github.now === undefined ? clock : withTime(clock, github.now),
      context,
      event,
      files: life.files(files),
      scrub,
      signal,
    };
    if (saved === undefined) return version.startMode(config, deps);
    return version.finishKilled(saved, config as AgentConfig, deps);
  };
  const exitCode = await Promise.race([version.finish(guarded, work), life.killed]);
  for (const end of callOff) end();
  const { outputs, state, summary, log } = runner;
  const left = {
    outputs: { ...outputs },
    state: { ...state },
    summary: summary(),
    printed: log.join('\n'),
  };
  const played = { runId, exitCode, ...left };
  // The result of an earlier version belongs to that version's schema.
  return version === today ? withTrueResult(played) : played;
}

/** The request hasn't started, so there is nothing to control. */
const controller = {} as Dispatcher.DispatchController;

/** Lets each request wait before it leaves the machine, as if it took long to connect. */
function holdRequests(network: Dispatcher, onLeave: NonNullable<MemoryRun['onLeave']>): Dispatcher {
  return network.compose((dispatch) => (options, handler) => {
    const leave = async () => {
      await onLeave(options);
      return dispatch(options, handler);
    };
    leave().catch((error) => handler.onResponseError?.(controller, error));
    return true;
  });
}
