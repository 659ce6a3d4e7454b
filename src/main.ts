import type { Dispatcher } from 'undici';
import { finishKilled } from './agent/finish.ts';
import { type Config, parseConfig } from './config/parse.ts';
import type { Deps } from './deps.ts';
import { createGitHub } from './github/client.ts';
import { parseEvent } from './github/event.ts';
import { createDispatcher } from './http/dispatcher.ts';
import { systemClock } from './lib/clock.ts';
import { run, runMode } from './run.ts';
import { readContext } from './runner/context.ts';
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
      readConfig: () => parseConfig(raw, readTextFile),
      connect: (config, onEnd) => connect(config, onEnd, { env, signal, dispatcher }),
    });
  } finally {
    await dispatcher.destroy();
  }
}

interface Outside {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly dispatcher: Dispatcher;
}

function connect(config: Config, onEnd: Deps['onEnd'], { env, signal, dispatcher }: Outside): Deps {
  const clock = systemClock;
  const context = readContext(env);
  const { apiUrl, repository } = context;
  const token = config.githubToken;
  return {
    service: createDocsService({ ...config.service, clock, dispatcher }),
    github:
      token === undefined || repository === ''
        ? undefined
        : createGitHub({ apiUrl, token, repository, clock, dispatcher }),
    runner: actionsRunner,
    clock,
    context,
    event: parseEvent(context.eventName, context.payload),
    signal,
    onEnd,
  };
}
