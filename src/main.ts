import type { AgentConfig } from './agent/inputs.ts';
import { finishKilled } from './agent/post.ts';
import { readConfig } from './config.ts';
import { type Clock, createClock } from './core/clock.ts';
import { InputError } from './core/errors.ts';
import { type ModeResult, resultOfError, skipResult } from './core/mode-result.ts';
import { accessTo } from './core/projects.ts';
import type { Deps } from './deps.ts';
import type { GitHub } from './github/client.ts';
import { type GitHubEvent, hasNoSecrets, isCommentEvent, parseEvent } from './github/event.ts';
import { createDispatcher, readProxies } from './http/dispatcher.ts';
import { type Config, inputNames, startMode } from './modes.ts';
import { publish, publishedState } from './publish.ts';
import { readContext } from './runner/context.ts';
import { directoryProblem, diskFiles, linkProblem, readPromptFile } from './runner/files.ts';
import {
  actionsRunner,
  cancellation,
  debug,
  getInput,
  getState,
  guardRunner,
  maskSecret,
  readInputs,
} from './runner/runner.ts';
import { createDocsService } from './service/client.ts';
import { createScrub } from './text/scrub.ts';

const { env } = process;

/** Goes through the main phase or, with the state that it `saved`, the post phase. Then exits. */
export async function main(saved?: string): Promise<void> {
  const signal = cancellation();
  const isRed = await finishPhase(saved, { signal, clock: createClock(signal) });
  // Before the exit, the log must be written. Without the exit, a connection that is still opening
  // would delay it by ten seconds.
  process.stdout.write('', () => process.exit(isRed ? 1 : 0));
}

/** Goes through a phase, and publishes its result. Returns whether the step fails. */
export async function finishPhase(
  saved: string | undefined,
  machine: Pick<Deps, 'signal' | 'clock'>,
): Promise<boolean> {
  const secrets = ['api-key', 'github-token', 'docs-token'].map((name) => getInput(name));
  for (const secret of secrets) maskSecret(secret);
  const scrub = createScrub(secrets);
  const runner = guardRunner(actionsRunner, scrub);
  const isPublished = getState(publishedState) === 'true';
  // Once main has published the outputs, post must not change them.
  if (isPublished) runner.setOutput = () => undefined;

  const result = await startPhase(saved, { ...machine, runner, scrub }).catch(resultOfError);
  if (!isPublished) await publish(runner, result);

  // The main phase has already decided whether the step fails.
  return saved === undefined && result.red;
}

async function startPhase(
  saved: string | undefined,
  local: Pick<Deps, 'runner' | 'scrub' | 'signal' | 'clock'>,
): Promise<ModeResult> {
  const context = readContext(env);
  if (getInput('api-key') === '' && hasNoSecrets(context.payload, env.GITHUB_ACTOR ?? '')) {
    const text =
      'Skipped: there is no `api-key`, because GitHub doesn’t pass secrets to runs from forks or Dependabot.';
    return skipResult({ reason: 'no-secrets', text });
  }
  const event = parseEvent(context.eventName, context.payload);
  const { config, problems } = readConfigOfPhase(saved, context.eventName, local.clock);
  // A stranger's permission is checked first, so that they can't make the step fail.
  if (config === undefined || (event.isTrusted && problems.length > 0))
    throw new InputError(problems);

  const dispatcher = createDispatcher(readProxies(env, [config.baseUrl, context.apiUrl]));
  const edge = { ...local, dispatcher, debug: (message: string) => debug(local.scrub(message)) };
  const service = createDocsService({ ...accessTo(config), ...edge });
  const { githubToken: token, docsToken } = config;
  const canConnect = token !== undefined && context.repository !== '';
  let github: GitHub | undefined;
  if (canConnect && needsGitHub(config, event)) {
    const { createGitHub } = await import('./github/client.ts');
    github = createGitHub({ ...context, token, docsToken, ...edge });
  }
  const deps = { ...local, context, event, files: diskFiles, service, github };
  if (saved === undefined) return startMode(config, deps);
  // Only agent mode saves a state.
  return finishKilled(saved, config as AgentConfig, deps);
}

function readConfigOfPhase(saved: string | undefined, eventName: string, clock: Clock) {
  const inputs = readInputs(inputNames);
  // The main phase has already read the prompt. By the post phase, the prompt file may be gone or
  // changed.
  if (saved !== undefined) Object.assign(inputs, { prompt: '', 'prompt-file': '' });
  return readConfig(inputs, {
    now: clock.now,
    needsPrompt: saved === undefined && !isCommentEvent(eventName),
    readFile: (path) => readPromptFile(path, env.RUNNER_TEMP),
    directoryProblem,
    linkProblem,
  });
}

/**
 * Whether the run needs the GitHub client, which is loaded only then. A prompt from the inputs
 * usually doesn't need it.
 */
function needsGitHub(config: Config, event: GitHubEvent): boolean {
  if (config.mode !== 'agent' || !event.isTrusted) return true;
  if (typeof config.thread === 'number' || config.requestReview !== 'none') return true;
  if (config.maxJobs !== undefined || config.maxOpen !== undefined) return true;
  if (config.continue === 'repository') return true;
  return config.context.includes('thread') || config.context.includes('changes');
}
