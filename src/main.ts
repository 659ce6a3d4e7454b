import type { Dispatcher } from 'undici';
import { finishKilled } from './agent/finish.ts';
import { type Config, parseConfig } from './config/parse.ts';
import type { Deps } from './deps.ts';
import type { GitHub } from './github/client.ts';
import { type GitHubEvent, isCommentEvent, parseEvent } from './github/event.ts';
import { createDispatcher } from './http/dispatcher.ts';
import { systemClock } from './lib/clock.ts';
import { run, runMode } from './run.ts';
import { type RunContext, readContext } from './runner/context.ts';
import { directoryProblem, diskFiles, fileProblem } from './runner/files.ts';
import { actionsRunner, maskSecret, readInputs, readTextFile } from './runner/runner.ts';
import { cancellation } from './runner/signals.ts';
import { createDocsService } from './service/client.ts';

/** The main phase; gives the exit code. */
export function main(env: NodeJS.ProcessEnv): Promise<0 | 1> {
  return play(env, runMode);
}

/** The post phase of a main phase that was killed, from the progress it saved. */
export async function finish(saved: string, env: NodeJS.ProcessEnv): Promise<void> {
  await play(env, (config, deps) => finishKilled(saved, config, deps));
}

/** Builds the real edges and plays one run with them. */
async function play(env: NodeJS.ProcessEnv, mode: Parameters<typeof run>[0]['mode']): Promise<0 | 1> {
  const raw = readInputs(env);
  maskSecret(raw['api-key'] ?? '');
  maskSecret(raw['github-token'] ?? '');
  const signal = cancellation();
  const dispatcher = createDispatcher();
  try {
    return await run({
      runner: actionsRunner,
      mode,
      readConfig: () =>
        parseConfig(raw, {
          now: systemClock.now,
          onComment: isCommentEvent(env.GITHUB_EVENT_NAME ?? ''),
          readFile: readTextFile,
          directoryProblem,
          fileProblem,
        }),
      connect: (config) => connect(config, { env, signal, dispatcher }),
    });
  } finally {
    await dispatcher.destroy();
  }
}

/** What the edges of one process share. */
interface Process {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
}

async function connect(config: Config, { env, signal, dispatcher }: Process): Promise<Deps> {
  const clock = systemClock;
  const context = readContext(env);
  const event = parseEvent(context.eventName, context.payload);
  return {
    service: createDocsService({ ...config.service, clock, dispatcher }),
    github: speaksToGitHub(config, event)
      ? await connectGitHub(config.githubToken, context, dispatcher)
      : undefined,
    runner: actionsRunner,
    clock,
    files: diskFiles,
    context,
    event,
    signal,
  };
}

/**
 * Whether there is a thread to write in, or a report that has to know when its run was created; a prompt in a plain step
 * starts without GitHub's part of the bundle.
 */
function speaksToGitHub({ mode, thread }: Config, event: GitHubEvent): boolean {
  return (
    mode === 'visitors' ||
    thread.kind === 'number' ||
    event.kind === 'comment' ||
    event.kind === 'other-comment' ||
    (event.kind === 'thread' && thread.kind === 'auto')
  );
}

async function connectGitHub(
  token: string | undefined,
  { apiUrl, repository }: RunContext,
  dispatcher: Dispatcher,
): Promise<GitHub | undefined> {
  if (token === undefined || repository === '') return undefined;
  const { createGitHub } = await import('./github/client.ts');
  return createGitHub({ apiUrl, token, repository, clock: systemClock, dispatcher });
}
