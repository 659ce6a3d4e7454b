import { randomUUID } from 'node:crypto';
import type { AgentConfig } from '../config.ts';
import type { Deps } from '../deps.ts';
import type { ContextReader } from '../requests/ask.ts';
import { newCard } from '../requests/card.ts';
import type { Request } from '../requests/next.ts';
import { openRun, type Run } from '../requests/run.ts';
import type { About } from './about.ts';
import type { TriggerToAnswer } from './trigger.ts';

/** A request at its beginning: its card, and the run that works on it. */
export function begin(
  trigger: TriggerToAnswer,
  config: AgentConfig,
  deps: Deps,
): Request & { readonly run: Run } {
  const { key, thread, source } = trigger;
  const { context } = deps;
  const ask = trigger.kind === 'ask' ? trigger.ask : undefined;
  const commentId = source?.commentId;
  const card = newCard({
    key,
    nonce: randomUUID(),
    run: context.runId,
    runUrl: context.runUrl,
    attempt: context.runAttempt,
    thread: thread?.number,
    source: commentId === undefined ? undefined : { kind: 'comment', id: commentId },
    isCommand: source?.isCommand ?? false,
    command: config.command,
    asker: source?.author.login,
    prompt: ask?.prompt,
    removed: ask?.removed ?? 0,
    ask: ask === undefined ? 'reply' : ask.prompt === undefined ? 'attach' : 'create',
    series: ask?.continues === 'repository' ? context.workflow : undefined,
  });
  const about = ask?.about;
  const run = openRun(
    {
      ...runOptions(config),
      ask: {
        prompt: ask?.prompt,
        jobId: ask?.jobId,
        continues: ask?.continues ?? 'nowhere',
        wait: ask?.wait ?? true,
        findsThread: about?.change?.kind === 'push',
        readsContext: about !== undefined,
      },
      context: contextReader(ask?.prompt ?? '', about, config, deps),
      comments: thread?.comments,
    },
    deps,
  );
  return { card, seen: {}, run };
}

/** What every run of agent mode takes from its inputs. */
export function runOptions(config: AgentConfig) {
  return {
    service: config.service,
    timeoutMs: config.timeoutMs,
    isThreadNamed: config.thread.kind === 'number',
    isDry: config.dryRun,
  };
}

/** Most runs send the prompt alone: what reads changes is loaded once it is needed. */
function contextReader(
  prompt: string,
  about: About | undefined,
  config: AgentConfig,
  deps: Deps,
): ContextReader {
  let loaded: Promise<ContextReader> | undefined;
  const load = () => {
    loaded ??= import('./context/reader.ts').then(({ createContextReader }) => {
      if (about === undefined) throw new Error('This request is about nothing that can be read');
      return createContextReader(prompt, about, config, deps);
    });
    return loaded;
  };
  return {
    findThread: async () => (await load()).findThread(),
    read: async (isOwn) => (await load()).read(isOwn),
  };
}
