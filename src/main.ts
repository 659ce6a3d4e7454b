import type { AgentConfig } from './agent/inputs.ts';
import { finishKilled } from './agent/post.ts';
import { readConfig } from './config.ts';
import { createClock, withTime } from './core/clock.ts';
import { InputError } from './core/errors.ts';
import { type ModeResult, resultOfError, skipResult } from './core/mode-result.ts';
import { accessTo } from './core/projects.ts';
import type { Deps } from './deps.ts';
import { readsCommands } from './front-door.ts';
import type { ConnectionOptions } from './github/connection.ts';
import { type GitHubEvent, parseEvent, whyNoSecrets } from './github/event.ts';
import { createDispatcher, readProxies } from './http/dispatcher.ts';
import { type Config, inputNames, startMode } from './modes.ts';
import { publish, publishedState } from './publish.ts';
import { readContext } from './runner/context.ts';
import {
  diskFiles,
  findDirectoryProblem,
  findLinkProblem,
  readPromptFile,
} from './runner/files.ts';
import {
  abortOnCancel,
  actionsRunner,
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

/** Goes through the main phase or, with the state that main `saved`, the post phase. Then exits. */
export async function main(saved: string | undefined): Promise<boolean> {
  const signal = abortOnCancel();
  const isRed = await finishPhase(saved, { signal, clock: createClock(signal) });
  // Flush the log, then exit: a connection that is still opening would keep Node.js alive for ten
  // seconds.
  process.stdout.write('', () => process.exit(isRed ? 1 : 0));
  return isRed;
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
  return saved === undefined && (result.red || runner.lacksOutputs());
}

type LocalDeps = Pick<Deps, 'runner' | 'scrub' | 'signal' | 'clock'>;

async function startPhase(saved: string | undefined, local: LocalDeps): Promise<ModeResult> {
  const context = readContext(env);
  const { eventName, payload } = context;
  const whyNoKey = whyNoSecrets(eventName, payload, env.GITHUB_ACTOR ?? '');
  if (getInput('api-key') === '' && whyNoKey !== undefined) {
    const text = `Skipped: there is no \`api-key\`, because ${whyNoKey}.`;
    return skipResult({ reason: 'no-secrets', text });
  }
  const event = parseEvent(eventName, payload, readsCommands());
  const isComment = event.kind === 'comment' || event.kind === 'other-comment';
  const needsPrompt = saved === undefined && !isComment;
  const { config, problems } = readConfig(readInputsOfPhase(saved), {
    needsPrompt,
    now: local.clock.now,
    scrub: local.scrub,
    readFile: (path) => readPromptFile(path, env.RUNNER_TEMP),
    findDirectoryProblem,
    findLinkProblem,
  });
  // A stranger's permission is checked first, so that they can't make the step fail. Then, the gate
  // throws `config.inputError`.
  if (config === undefined || (event.isTrusted && problems.length > 0))
    throw new InputError(problems);

  const dispatcher = createDispatcher(readProxies(env, [config.baseUrl, context.apiUrl]));
  const edge = { signal: local.signal, clock: local.clock, scrub: local.scrub, dispatcher };
  const service = createDocsService({ ...accessTo(config), ...edge });
  const { apiUrl, repository, repositoryId } = context;
  const options = { ...edge, apiUrl, repository, repositoryId };
  const github = await connectToGitHub(config, event, options);
  // What runs compare with each other is in GitHub's time.
  const clock = github === undefined ? local.clock : withTime(local.clock, github.now);
  const deps = { ...local, clock, context, event, files: diskFiles, service, github };
  if (saved === undefined) return startMode(config, deps);
  // Only agent mode saves a state.
  return finishKilled(saved, config as AgentConfig, deps);
}

function readInputsOfPhase(saved: string | undefined) {
  const inputs = readInputs(inputNames);
  if (saved === undefined) return inputs;
  // The main phase has already read the prompt. By the post phase, the prompt file may be gone or
  // changed.
  return { ...inputs, prompt: '', 'prompt-file': '' };
}

/** The GitHub client, which is loaded only if the run needs it and can use it. */
async function connectToGitHub(
  config: Config,
  event: GitHubEvent,
  options: Omit<ConnectionOptions, 'token' | 'debug'>,
) {
  const token = config.githubToken;
  if (token === undefined || options.repository === '') return undefined;
  if (!needsGitHub(config, event)) return undefined;
  const { createGitHub } = await import('./github/client.ts');
  const debugSafely = (message: string) => debug(options.scrub(message));
  const thread = 'thread' in event ? event.thread : undefined;
  const access = { token, docsToken: config.docsToken, debug: debugSafely };
  return createGitHub({ ...options, ...access, thread });
}

/** A prompt from the inputs usually doesn't need GitHub. */
function needsGitHub(config: Config, event: GitHubEvent): boolean {
  if (config.mode !== 'agent' || !event.isTrusted) return true;
  if (typeof config.thread === 'number' || config.requestReview !== 'none') return true;
  if (config.maxJobs !== undefined || config.maxOpen !== undefined) return true;
  if (config.continue === 'repository') return true;
  return config.context.includes('thread') || config.context.includes('changes');
}
