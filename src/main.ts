import type { Dispatcher } from 'undici';
import type { AgentConfig } from './agent/inputs.ts';
import { finishKilled } from './agent/post.ts';
import { readConfig } from './config.ts';
import { createClock } from './core/clock.ts';
import { InputError } from './core/errors.ts';
import { type ModeResult, skipped } from './core/mode-result.ts';
import { accessTo } from './core/projects.ts';
import { type GitHubEvent, hasNoSecrets, isCommentEvent, parseEvent } from './github/event.ts';
import { createDispatcher, proxiesOf } from './http/dispatcher.ts';
import { type Config, runMode } from './modes.ts';
import { publishedState, run } from './run.ts';
import { readContext } from './runner/context.ts';
import { directoryProblem, diskFiles, linkProblem, readPromptFile } from './runner/files.ts';
import {
  actionsRunner,
  cancellation,
  debug,
  guarded,
  maskSecret,
  readInputs,
} from './runner/runner.ts';
import { createDocsService } from './service/client.ts';
import { createScrub } from './text/scrub.ts';

/** Runs the main phase or, with the state that it `saved`, the post phase. Then exits. */
export async function main(env: NodeJS.ProcessEnv, saved?: string): Promise<void> {
  const code = await runPhase(env, saved);
  // The main phase has already decided whether the step fails. Before the exit, the log must be written. Without the exit, a
  // connection that is still opening would delay it by ten seconds.
  process.stdout.write('', () => process.exit(saved === undefined ? code : 0));
}

async function runPhase(env: NodeJS.ProcessEnv, saved?: string): Promise<0 | 1> {
  const inputs = readInputs(env);
  // The main phase has already read the prompt. By the post phase, the prompt file may be gone or changed.
  const raw = saved === undefined ? inputs : { ...inputs, prompt: '', 'prompt-file': '' };
  const secrets = [raw['api-key'] ?? '', raw['github-token'] ?? '', raw['docs-token'] ?? ''];
  for (const secret of secrets) maskSecret(secret);
  const signal = cancellation();
  const scrub = createScrub(secrets);
  const isPublished = env[`STATE_${publishedState}`] === 'true';
  const runner = guarded(actionsRunner, scrub);
  // Once main has published the outputs, post must not change them.
  if (isPublished) runner.setOutput = () => undefined;
  const clock = createClock(signal);
  let dispatcher: Dispatcher | undefined;

  async function attempt(): Promise<ModeResult> {
    const context = readContext(env);
    const text =
      'Skipped: there is no `api-key`, because GitHub doesn’t pass secrets to runs from forks or Dependabot.';
    if (
      (raw['api-key'] ?? '').trim() === '' &&
      hasNoSecrets(context.payload, env.GITHUB_ACTOR ?? '')
    )
      return skipped({ reason: 'no-secrets', text });
    const event = parseEvent(context.eventName, context.payload);
    const needsPrompt = saved === undefined && !isCommentEvent(context.eventName);
    const readFile = (path: string) => readPromptFile(path, env.RUNNER_TEMP);
    const surroundings = { now: clock.now, needsPrompt, readFile, directoryProblem, linkProblem };
    const { config, problems } = readConfig(raw, surroundings);
    // A stranger's permission is checked first, so that they can't make the step fail.
    if (config === undefined || (event.isTrusted && problems.length > 0))
      throw new InputError(problems);
    dispatcher = createDispatcher(proxiesOf(env, [config.baseUrl, context.apiUrl]));
    const edge = {
      clock,
      signal,
      dispatcher,
      scrub,
      debug: (message: string) => debug(scrub(message)),
    };
    const service = createDocsService({ ...accessTo(config), ...edge });
    const { githubToken: token, docsToken } = config;
    const github =
      token !== undefined && context.repository !== '' && needsGitHub(config, event)
        ? (await import('./github/client.ts')).createGitHub({
            ...context,
            token,
            docsToken,
            ...edge,
          })
        : undefined;
    const deps = {
      service,
      github,
      runner,
      clock,
      files: diskFiles,
      context,
      event,
      scrub,
      signal,
    };
    // Only agent mode saves a state.
    return saved === undefined
      ? runMode(config, deps)
      : finishKilled(saved, config as AgentConfig, deps);
  }

  try {
    return await run(runner, attempt, isPublished);
  } finally {
    await dispatcher?.destroy();
  }
}

/** Whether the run needs the GitHub client, which is loaded only then. A prompt from the inputs usually doesn't need it. */
function needsGitHub(config: Config, event: GitHubEvent): boolean {
  if (config.mode !== 'agent') return true;
  const { thread, context, requestReview, maxJobs, maxOpen } = config;
  if (typeof thread === 'number' || !event.isTrusted || requestReview !== 'none') return true;
  if (maxJobs !== undefined || maxOpen !== undefined) return true;
  return (
    context.includes('thread') || context.includes('changes') || config.continue === 'repository'
  );
}
