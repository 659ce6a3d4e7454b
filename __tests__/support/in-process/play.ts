import { type Dispatcher, getGlobalDispatcher } from 'undici';
import type { SimulatorCore } from '../../../simulator/core.ts';
import { DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import type { AgentConfig } from '../../../src/agent/inputs.ts';
import { finishKilled } from '../../../src/agent/post.ts';
import { parseConfig } from '../../../src/config.ts';
import { ActionError } from '../../../src/core/errors.ts';
import { accessTo } from '../../../src/core/inputs/projects.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { parseEvent } from '../../../src/github/event.ts';
import { runMode } from '../../../src/modes.ts';
import { run as publish } from '../../../src/run.ts';
import type { Files } from '../../../src/runner/files.ts';
import { guarded } from '../../../src/runner/runner.ts';
import { createDocsService } from '../../../src/service/client.ts';
import { createScrub } from '../../../src/text/scrub.ts';
import { MemoryFiles } from '../files.ts';
import { withTrueResult } from '../oracle/result.ts';
import type { Played, Run } from '../played.ts';
import { context as usualContext } from '../samples/cards.ts';
import { outside } from '../samples/config.ts';
import { Life } from './life.ts';
import { recordingRunner } from './recording-runner.ts';

/** Only an in-memory simulator has a dispatcher; the other one uses sockets. */
type Core = SimulatorCore & { readonly dispatcher?: Dispatcher };

/** Describes a run in this process. */
export interface MemoryRun extends Run {
  readonly files?: Files | undefined;
}

/** Runs the action's main phase in this process. Only the runner and the network are replaced. */
export function playMain(core: Core, run: MemoryRun): Promise<Played> {
  return play(core, run, runMode);
}

/** Runs the post phase with the state that main saved. Like `post.ts`, it does nothing without that state. */
export async function playPost(core: Core, run: MemoryRun, { state }: Played): Promise<Played> {
  const saved = state.run ?? '';
  if (saved === '')
    return { runId: run.runId, exitCode: 0, outputs: {}, state: {}, summary: '', printed: '' };
  return play(core, run, async (config, deps) => finishKilled(saved, config as AgentConfig, deps));
}

async function play(core: Core, run: MemoryRun, mode: typeof runMode): Promise<Played> {
  const { event, inputs, runId, attempt = 1, killAt, cancelAt, files = new MemoryFiles() } = run;
  const life = new Life();
  const cancel = new AbortController();
  const onCancel = () => cancel.abort(new ActionError('cancelled', 'The run was canceled'));
  const callOff = [
    ...(killAt === undefined ? [] : [core.once(killAt, () => life.kill())]),
    ...(cancelAt === undefined ? [] : [core.once(cancelAt, onCancel)]),
  ];
  const clock = life.clock(core.clock);
  const dispatcher = life.dispatcher(core.dispatcher ?? getGlobalDispatcher());
  const runner = recordingRunner(() => !life.isOver);
  const context = {
    ...usualContext,
    eventName: event.name,
    payload: event.payload,
    runId: String(runId),
    runAttempt: attempt,
    stepId: 'docs.__octo-org_docs-agent',
    apiUrl: core.githubUrl,
    runUrl: `${usualContext.repositoryUrl}/actions/runs/${runId}`,
    sha: core.github.git.branches.get('main') ?? '',
  };
  const scrub = createScrub([inputs['api-key'] ?? '', DEFAULT_TOKEN]);
  const edge = { clock, dispatcher, scrub };
  const work = async () => {
    const raw = { ...inputs, 'base-url': 'http://localhost', 'github-token': DEFAULT_TOKEN };
    const parsed = await parseConfig(raw, { ...outside, needsPrompt: false });
    // This is set after parsing, because the input `base-url` doesn't accept the in-memory simulator's URL.
    const config = { ...parsed, baseUrl: core.url };
    return mode(config, {
      service: createDocsService({ ...accessTo(config), ...edge }),
      github: createGitHub({ ...context, token: DEFAULT_TOKEN, debug: () => undefined, ...edge }),
      runner: guarded(runner, scrub),
      clock,
      context,
      event: parseEvent(context.eventName, context.payload),
      files: life.files(files),
      scrub,
      signal: cancel.signal,
    });
  };
  const exitCode = await Promise.race([publish(runner, work, false), life.killed]);
  for (const end of callOff) end();
  const { outputs, state, summary, log } = runner;
  const left = { outputs: { ...outputs }, state: { ...state }, summary: summary(), printed: log.join('\n') };
  return withTrueResult({ runId, exitCode, ...left });
}
