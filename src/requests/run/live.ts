import { messageOf } from '../../core/errors.ts';
import type { OutputsOf } from '../../core/mode-result.ts';
import { bindDeps, type Deps } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { Reaction } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { oneLine } from '../../text/markdown.ts';
import { type Card, endingOf, isTerminal, jobOf, pullRequestOf } from '../card/card.ts';
import { checksOf } from '../card/pull.ts';
import { remarks } from '../card/remarks.ts';
import {
  addRemark,
  claimed,
  explainNewJob,
  interrupted,
  placed,
  sent,
  stopped,
  watched,
  working,
} from '../card/transitions.ts';
import { toStored } from '../card/versions.ts';
import { openFollower } from '../follow/pull.ts';
import { requestReview } from '../follow/request-review.ts';
import { againMs, findJob, isNotFound, watch } from '../follow/watch.ts';
import { holderOf, outdated, statusCommentOf } from '../thread/claims.ts';
import { merged, noCards, type PostedCard } from '../thread/find.ts';
import { reactionsTo } from '../thread/reactions.ts';
import { isGone, openStore, type Store } from '../thread/store.ts';
import { Writer } from '../thread/writer.ts';
import { type Candidate, choose } from './choose.ts';
import { Run } from './run.ts';

/** The name under which the runner saves the card for `post`. */
const savedState = 'run';
const graceMs = 1_500;

/** A run that writes: for `post`, and in the thread, as far as it can. */
export class LiveRun extends Run<Deps> {
  /** Access to the comments in the thread; `undefined` without a thread or a token. */
  get store(): Store | undefined {
    return this.storeWith(this.deps);
  }

  /** The same, with connections that may be bound to another signal. */
  storeWith(deps: Deps): Store | undefined {
    const { github } = deps;
    const { thread } = this.card;
    if (thread === undefined || github === undefined) return undefined;
    return openStore(thread, this.plan.owner, { ...deps, github });
  }

  /** Saves the card for `post`, and sets the outputs that are correct if the process is killed right after this. */
  override become(card: Card): void {
    super.become(card);
    if (!this.isAdmitted) return;
    const { runner } = this.deps;
    runner.saveState(savedState, JSON.stringify(toStored(card)));
    const { outcome = '', reason = '' } = endingOf(interrupted(card, 'interrupted')) ?? {};
    for (const [name, value] of Object.entries({ outcome, reason, ...outputsOf(card) }))
      if (value !== '') runner.setOutput(name, value);
  }

  /** Clears the saved card, so that `post` does nothing. */
  forget(): void {
    if (this.isAdmitted) this.deps.runner.saveState(savedState, '');
  }

  /** Posts or edits the status comment. `isOver`: there is no point in trying again. `isShown`: the thread shows the card. */
  async show() {
    const { card, store } = this;
    const save = async () => this.become((await store?.save(card)) ?? card);
    // The run could write here a moment ago, so `post` may be able to write again.
    const mayPass = card.comment !== undefined && !this.plan.isPost;
    const { isOver, isDone } = await this.bestEffort(save, { mayPass });
    return { isOver, isShown: isDone };
  }

  /** Reacts to the request's comment. `failed`: another try may help. `deleted`: the comment is gone. */
  async react(reaction: Reaction) {
    const { github } = this.deps;
    const { card } = this;
    const { source } = card;
    if (source === undefined || github === undefined) return 'done';
    let isDeleted = false;
    const act = async () => {
      try {
        for (const write of reactionsTo(card, reaction, undefined, github)) await write();
      } catch (error) {
        // GitHub may return a single 404 from an outdated replica.
        isDeleted = isGone(error) && !(await github.isThere(source));
        // If the problem lasts, the reaction at the end of the run reports it.
        const isReported = reaction === 'eyes' && error instanceof GitHubError;
        if (!isDeleted && !isReported) throw error;
      }
    };
    const { isOver } = await this.bestEffort(act, {
      meaning: 'The status comment isn’t affected.',
    });
    if (isDeleted) return 'deleted';
    return isOver ? 'done' : 'failed';
  }

  /** Deletes the request's obsolete comments. If a comment can't be deleted, a later run tries again. */
  async tidy(card = this.card): Promise<void> {
    const { found, store } = this;
    if (store === undefined || found === undefined) return;
    const gone: PostedCard[] = [];
    const meaning = 'A later run tries again.';
    for (const posted of outdated(
      found.ours,
      holderOf(found.ours, card, this.deps.clock.now()),
      card,
    ))
      if ((await this.bestEffort(() => store.withdraw(posted), { meaning })).isOver)
        gone.push(posted);
    this.found = { ...found, ours: found.ours.filter((posted) => !gone.includes(posted)) };
  }

  /** Looks at the pull request of an ended job. If this token can't see it, collect mode may have a token that can. */
  async lookAtPull(card: Card): Promise<Card> {
    const { github } = this.deps;
    if (github === undefined) return card;
    const whyNot = new Set<string>();
    const deps = { ...this.deps, github };
    const { follow, problems } = openFollower(this.plan, whyNot, deps);
    const followed = await follow(card);
    const writer = new Writer(new Set(), deps);
    const asked = await requestReview(followed.card, followed.answer, writer, deps);
    const isUnseen = followed.answer === 'unseen';
    let after = isUnseen ? card : (asked ?? followed.card);
    for (const problem of problems()) after = addRemark(after, 'summary', problem);
    for (const why of whyNot)
      after = addRemark(after, 'summary', `The pull request couldn’t be read. ${why}`);
    return isUnseen ? addRemark(after, 'summary', remarks.unseenPull) : after;
  }

  override async claim(): Promise<void> {
    const { deps } = this;
    const generation =
      (statusCommentOf(this.cards, this.card, this.card.login)?.card.generation ?? 0) + 1;
    this.become(claimed({ ...this.card, comment: undefined, generation }, deps.clock.now()));
    const { card, store } = this;
    if (store === undefined) return;
    let comment: ThreadComment | undefined;
    try {
      comment = await withGrace(deps, async (patient) => this.storeWith(patient)?.write(card));
    } catch (error) {
      return this.endsUnrecorded(error) ? undefined : this.withoutThread(error);
    }
    if (comment === undefined) return;
    const written = placed(card, comment);
    try {
      const rivals = await store.readRivals(comment, this.beganAtMs);
      const { ours, ofOtherKeys, newer } = this.found ?? noCards;
      this.found = {
        ours: merged(ours, rivals.ours),
        ofOtherKeys,
        newer: [...newer, ...rivals.newer],
      };
      // Save the claim only after the older claim is deleted. If the run is killed in between, `post` reads the thread again.
      await this.tidy(written);
      this.learn(this.found, written);
    } catch (error) {
      // Nothing was sent. At its end, the run edits the claim to say so, even if it can't read the thread.
      this.become(written);
      throw error;
    }
  }

  /** After a 404, checks the chosen job: if it is gone, a new one gets the prompt; otherwise, tries once more. */
  override async send(choice: Candidate): Promise<void> {
    const begun = this.card;
    try {
      await this.#sendOnce(choice);
    } catch (error) {
      const { job, askedAt } = choice;
      if (job === undefined || !isNotFound(error)) throw error;
      const { clock } = this.deps;
      await clock.sleep(againMs);
      const again = choose({ ...choice, job: await findJob(job.id, askedAt, this.deps) });
      this.become(claimed(begun, clock.now()));
      if (again.job === undefined && again.in === 'inputs') throw error;
      this.card = explainNewJob(this.card, again.why);
      await this.#sendOnce(again);
    }
  }

  /** Sends the prompt. If the service rejects its size, sends it again without patches. */
  async #sendOnce({ job, pull }: Candidate): Promise<void> {
    const { prompt, smaller, head, note } = this.promptFor(job);
    const url = pullRequestOf(job)?.url;
    // By its head, a later look can tell whether the job picked up the follow-up.
    const before = pull && url && { pull: { url, state: pull.state, head: pull.headSha } };
    const card = addRemark({ ...this.card, ...(head && { head }), ...before }, 'fold', note);
    try {
      this.card = card;
      await this.#post(prompt, job);
    } catch (error) {
      // The service documents no size limit. If a prompt is too long, it probably returns 400 or 413 and creates nothing.
      const mayBeTooLarge =
        error instanceof ServiceError && (error.status === 400 || error.status === 413);
      if (smaller === undefined || !mayBeTooLarge) throw error;
      this.card = addRemark(card, 'fold', remarks.sentWithoutPatches);
      await this.#post(smaller, job);
    }
  }

  /** Sends the one request that costs credits. After an error, the card says whether the service may have accepted it. */
  async #post(prompt: string, recipient: Job | undefined): Promise<void> {
    const { clock, signal, runner } = this.deps;
    const by = recipient === undefined ? 'create' : 'message';
    const request = ({ service }: Deps) => {
      const options: CallOptions = {
        beforeSend: () => signal.throwIfAborted(),
        onSend: () => this.become(sent(this.card, by, clock.now())),
        onWait: (error, waitMs) => {
          this.become(claimed(this.card, clock.now()));
          runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
        },
      };
      if (recipient === undefined) return service.createJob(prompt, options);
      return service.sendMessage(recipient.id, prompt, options);
    };
    try {
      const job = await withGrace(this.deps, request);
      const model = job.model == null ? job.status : `${job.status}, ${job.model}`;
      const sentKib = Math.ceil(Buffer.byteLength(prompt) / 1024);
      runner.verbatim(`What was sent (${sentKib} KiB)`, prompt);
      const done = recipient === undefined ? 'Created' : 'Sent the follow-up to';
      runner.info(`${done} job ${oneLine(job.id)} (${oneLine(model)}).`);
      this.become(working(this.card, job, recipient));
    } catch (error) {
      if (error instanceof ServiceError && error.reason !== 'unconfirmed')
        this.become(claimed(this.card, clock.now()));
      throw error;
    }
  }

  /** Watches the job to its end, or leaves it running, and looks at its pull request. */
  override async follow(): Promise<void> {
    const { deps, plan, takenOver, card } = this;
    const { timeoutMs } = plan;
    const job = jobOf(card);
    if (card.stop !== undefined || job === undefined) return;
    if (card.state.is === 'working') {
      // Right after a follow-up, the job's status may be from before the follow-up.
      const isOver = isTerminal(job.status) && card.state.before === undefined;
      if (!isOver && !plan.ask.wait)
        return this.become(stopped(card, { outcome: 'detached', reason: 'not-waited' }));
      const isChecked = takenOver !== undefined || card.ask === 'attach';
      this.become(watched(card, deps.clock.now() + timeoutMs));
      // Re-runs and follow-ups look for the job in the thread. A result stays there, even if a follow-up made the job active again.
      if (!isOver && takenOver?.state.is !== 'ended') await this.show();
      const keep = (now: Card) => this.become(now);
      this.become(await watch(this.card, { timeoutMs, isChecked, keep }, deps));
    }
    const isLinked =
      this.card.state.is === 'ended' && pullRequestOf(jobOf(this.card)) !== undefined;
    if (isLinked && this.card.stop === undefined) this.become(await this.lookAtPull(this.card));
  }
}

/** Lets a call wait a moment for its response after the run is canceled, because the response contains an ID that we need. */
async function withGrace<T>(deps: Deps, act: (patient: Deps) => Promise<T>): Promise<T> {
  const { signal } = deps;
  const within = new AbortController();
  const over = new AbortController();
  const end = () => within.abort(signal.reason);
  const cancel = () =>
    deps.clock
      .within(over.signal)
      .sleep(graceMs)
      .then(end, () => undefined);
  if (signal.aborted) void cancel();
  signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
  try {
    return await act(bindDeps(deps, within.signal));
  } finally {
    over.abort();
  }
}

export function outputsOf(card: Card): OutputsOf<'agent'> {
  const { id = '', status = '' } = jobOf(card) ?? {};
  const { url = '', number = '' } = pullRequestOf(jobOf(card)) ?? {};
  return {
    ...{ 'job-id': id, 'job-status': status, 'pr-link': url, 'pr-number': number },
    'comment-url': card.comment?.url ?? '',
    checks: checksOf(card)?.is ?? '',
  };
}
