import { ActionError, explain, messageOf } from '../../core/errors.ts';
import type { OutputsOf } from '../../core/mode-result.ts';
import type { Owner } from '../../core/sign.ts';
import type { Deps } from '../../deps.ts';
import type { Reaction } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import { type Card, jobOf, toStored } from '../card/card.ts';
import { checksOf, pullRequestOf } from '../card/job.ts';
import { endingOf } from '../card/situation.ts';
import { interrupted } from '../card/transitions.ts';
import { reactionsTo } from '../thread/saver.ts';
import { isGone, openStore, type Store } from '../thread/store.ts';
import type { Plan } from './next.ts';

/** The name under which the runner saves the card for `post`. */
const savedState = 'run';
const graceMs = 1_500;
const unposted = 'The job summary has what would have been posted.';

export interface RunOptions extends Plan {
  readonly owner: Owner;
  readonly timeoutMs: number;
  /** Whether the `thread` input contains a number. */
  readonly isThreadNamed: boolean;
  /** Whether this is the post phase, which tries several times to post the result in the thread. */
  readonly isPost: boolean;
  /** The names of the checks that say whether the docs were built. */
  readonly checks: readonly string[];
  /** Whether this is a dry run, which writes and saves nothing. */
  readonly isDry: boolean;
}

/** The cards of all threads, newest comment first, and those that may have been signed with a different API key. */
export type RepositoryCards = Readonly<Record<'cards' | 'unverified', readonly Card[]>>;

/** One process that works on one request. */
export type Run = ReturnType<typeof openRun>;

export function openRun(options: RunOptions, deps: Deps) {
  const { runner, clock, github } = deps;
  let store: Store | undefined;
  const warned = new Set<string>();
  let kept: Card | undefined;

  /** What warnings have in common if they have the same cause. */
  const causeOf = (error: unknown) =>
    (error instanceof GitHubError ? error.lacks : undefined) ?? explain(error).title;
  /** Warns of each cause once. If GitHub refused, the warning says what to do. @param meaning a sentence. */
  function warn(error: unknown, meaning = unposted): void {
    if (warned.has(causeOf(error))) return;
    warned.add(causeOf(error));
    const { title, text } = explain(error);
    const isRefusal = error instanceof GitHubError && error.isRefusal;
    const message = isRefusal ? `${title}. ${meaning}\n${text}` : `${messageOf(error)}. ${meaning}`;
    runner.warning(message.trimEnd(), { title: 'Docs Agent' });
  }

  return {
    ...options,
    deps,
    beganAtMs: clock.now(),
    /** The last saved card; `undefined` until the person's permission has been checked. */
    get kept() {
      return kept;
    },
    /** Remarks for the job summary alone, as Markdown sentences. */
    asides: [] as string[],
    /** The cards of all threads; `undefined` until they are read. */
    repository: undefined as RepositoryCards | undefined,
    /** Access to the comments in a card's thread; `undefined` without a thread or a token. */
    storeOf({ thread }: Card): Store | undefined {
      if (thread === undefined || github === undefined) return undefined;
      store ??= openStore(thread, github, options.owner.signerOf(thread), clock);
      return store;
    },
    /** Saves the card for `post`, and sets the outputs that are correct if the process is killed right after this. */
    keep(card: Card): Card {
      kept = card;
      if (options.isDry) return card;
      runner.saveState(savedState, JSON.stringify(toStored(card)));
      const { outcome = '', reason = '' } = endingOf(interrupted(card, 'interrupted')) ?? {};
      for (const [name, value] of Object.entries({ outcome, reason, ...outputsOf(card) }))
        if (value !== '') runner.setOutput(name, value);
      return card;
    },
    /** Clears the saved card, so that `post` does nothing. */
    forget(): void {
      if (kept !== undefined && !options.isDry) runner.saveState(savedState, '');
    },
    warn,
    /** Keeps a warning from repeating the cause of the error that ended the run. */
    willReport(error: unknown): void {
      warned.add(causeOf(error));
    },
    /** Tries to update the thread. A failure is only a warning: the summary says the same. Returns whether to stop trying. */
    async bestEffort(act: () => Promise<unknown>, { mayPass = false, meaning = unposted } = {}) {
      try {
        await act();
        return true;
      } catch (error) {
        if (error instanceof ActionError && error.reason === 'cancelled') throw error;
        warn(error, meaning);
        return error instanceof GitHubError && error.isRefusal && !mayPass;
      }
    },
  };
}

/** The outputs that only agent mode has. */
export function outputsOf(card: Card): OutputsOf<'agent'> {
  const job = jobOf(card);
  const pullRequest = pullRequestOf(job);
  return {
    'job-id': job?.id ?? '',
    'job-status': job?.status ?? '',
    'pr-link': pullRequest?.url ?? '',
    'pr-number': pullRequest?.number ?? '',
    'comment-url': card.comment?.url ?? '',
    checks: checksOf(card)?.is ?? '',
  };
}

/** Posts or edits the status comment. `isOver`: there is no point in trying again. `isShown`: the thread shows the card. */
export async function show(card: Card, run: Run, within = run.deps.signal) {
  let shown = run.keep(card);
  let isShown = false;
  const save = async () => {
    shown = run.keep((await run.storeOf(card)?.save(card, within)) ?? card);
    isShown = true;
  };
  // The run could write here a moment ago, so `post` may be able to write again.
  const mayPass = card.comment !== undefined && !run.isPost;
  const isOver = await run.bestEffort(save, { mayPass });
  return { card: shown, isOver, isShown };
}

/** Reacts to the request's comment. `failed`: another try may help. `deleted`: the comment is gone. */
export async function react(reaction: Reaction, card: Card, run: Run, within: AbortSignal) {
  const { github } = run.deps;
  const { source } = card;
  if (source === undefined || github === undefined) return 'done';
  let isDeleted = false;
  const act = async () => {
    try {
      for (const write of reactionsTo(card, reaction, undefined, github, within)) await write();
    } catch (error) {
      // GitHub may return a single 404 from an outdated replica.
      isDeleted = isGone(error) && !(await github.isThere(source, within));
      // If the problem lasts, the reaction at the end of the run reports it.
      const isReported = reaction === 'eyes' && error instanceof GitHubError;
      if (!isDeleted && !isReported) throw error;
    }
  };
  const isOver = await run.bestEffort(act, { meaning: 'The status comment isn’t affected.' });
  if (isDeleted) return 'deleted';
  return isOver ? 'done' : 'failed';
}

/** Lets a call wait a moment for its response after the run is canceled, because the response contains an ID that we need. */
export async function withGrace<T>({ deps }: Run, act: (within: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, signal } = deps;
  const within = new AbortController();
  const over = new AbortController();
  const end = () => within.abort(signal.reason);
  const cancel = () => clock.sleep(graceMs, over.signal).then(end, () => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
  try {
    return await act(within.signal);
  } finally {
    over.abort();
  }
}
