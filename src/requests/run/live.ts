import { messageOf } from '../../core/errors.ts';
import { type Deps, hasGitHub } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { Reaction } from '../../github/comments.ts';
import { GitHubError, isGone } from '../../github/errors.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { toOneLine } from '../../text/markdown.ts';
import {
  type Card,
  type Ending,
  endingOf,
  isTerminal,
  pullRequestOf,
  toStored,
} from '../card/card.ts';
import { remarks, whyNot } from '../card/remarks.ts';
import {
  addRemark,
  explainNewJob,
  interruptRun,
  markClaimed,
  markSending,
  markWorking,
  placeInComment,
  stopRun,
  watchUntil,
} from '../card/transitions.ts';
import { againMs, findJob, isNotFound } from '../follow/observed-job.ts';
import { type Followed, openFollower } from '../follow/pull.ts';
import { prepareReview } from '../follow/request-review.ts';
import { watch } from '../follow/watch.ts';
import {
  claimsOf,
  findHolder,
  findObsolete,
  isAbandoned,
  nextGeneration,
} from '../thread/claims.ts';
import { mergeReads, noCards, type PostedCard } from '../thread/find.ts';
import { reactionsTo } from '../thread/reactions.ts';
import { openStore, type Store } from '../thread/store.ts';
import { Writer } from '../thread/writer.ts';
import { type Candidate, choose } from './choose.ts';
import { withGrace } from './grace.ts';
import { outputsOf } from './outputs.ts';
import { type Attempt, Run } from './run.ts';

/** The name under which the runner saves the card for `post`. */
const savedState = 'run';
/** After a longer pause, such as that of a suspended laptop, others may have acted. */
const maxPauseMs = 60_000;

/** The run has stopped right before the request would have been sent. Its card says why. */
class StoppedBeforeSending extends Error {}

/** Adds the pull request of a job. By its head, a later look can tell that it was updated. */
function addPull(card: Card, job: Candidate['job'], pull: Candidate['pull']): Card {
  const url = pullRequestOf(job)?.url;
  if (pull === undefined || url === undefined) return card;
  return { ...card, pull: { url, state: pull.state, head: pull.headSha } };
}

/** A run that writes: for `post`, and in the thread, as far as it can. */
export class LiveRun extends Run<Deps> {
  /** The card that the status comment shows. */
  #shown: Card | undefined;
  /** The comment that claims the request; `undefined` without a thread. */
  #claim: ThreadComment | undefined;
  /** When the thread last showed that this run's claim counts. */
  #confirmedAtMs = 0;

  /** Access to the comments in the thread; `undefined` without a thread or a token. */
  get store(): Store | undefined {
    const { deps } = this;
    const { thread } = this.card;
    if (thread === undefined || !hasGitHub(deps)) return undefined;
    return openStore(thread, this.plan.owner, deps);
  }

  /**
   * Saves the card for `post`, and sets the outputs that are correct if the process is killed right
   * after this.
   */
  override become(card: Card): void {
    const before: Readonly<Record<string, string>> = outputsOf(this.card);
    super.become(card);
    if (!this.isAdmitted) return;
    const { runner } = this.deps;
    runner.saveState(savedState, JSON.stringify(toStored(card)));
    const ending = endingOf(interruptRun(card, 'interrupted'));
    const { outcome = '', reason = '' } = ending ?? {};
    const outputs = Object.entries({ outcome, reason, ...outputsOf(card) });
    // A request that starts over no longer has the job of an earlier attempt.
    for (const [name, value] of outputs)
      if (value !== '' || before[name]) runner.setOutput(name, value);
  }

  /** Clears the saved card, so that `post` does nothing. */
  forget(): void {
    if (this.isAdmitted) this.deps.runner.saveState(savedState, '');
  }

  override async claim(): Promise<boolean> {
    const generation = nextGeneration(this.cards, this.card);
    this.become(markClaimed({ ...this.card, comment: undefined, generation }));
    const comment = await this.#postClaim();
    this.#claim = comment;
    // Without its thread, the run may go on.
    if (comment === undefined) return this.canSend;
    this.#confirmedAtMs = comment.createdAtMs;
    const claim = placeInComment(this.card, comment);
    try {
      await this.#compete(claim, comment);
    } catch (error) {
      // Nothing was sent. At its end, the run edits the claim to say so, and deletes the older one,
      // even if it can't read the thread.
      this.become(claim);
      const known = this.found ?? noCards;
      this.found = {
        ...known,
        ours: mergeReads(known.ours, [{ comment, card: claim, owner: this.plan.owner }]),
      };
      throw error;
    }
    return this.canSend;
  }

  /** Posts the claim. Returns `undefined` if the thread has no claim of this run. */
  async #postClaim(): Promise<ThreadComment | undefined> {
    try {
      return await this.store?.write(this.card);
    } catch (error) {
      if (!this.stopIfUnrecorded(error)) this.continueWithoutThread(error);
      return undefined;
    }
  }

  /** Finds out whether this run's claim has won. */
  async #compete(claim: Card, comment: ThreadComment): Promise<void> {
    const known = this.found ?? noCards;
    const rivals = await this.store?.readRivals(comment, this.readAtMs);
    if (rivals === undefined) return;
    const ours = mergeReads(known.ours, rivals.ours);
    const newer = [...known.newer, ...rivals.newer];
    this.found = { ours, ofOtherKeys: known.ofOtherKeys, newer };
    // Save the claim only after the older claim is deleted. If the run is killed in between, `post`
    // reads the thread again.
    await this.tidy(claim);
    this.learn(this.found, claim);
  }

  override async send(choice: Candidate): Promise<void> {
    try {
      await this.#sendPatiently(choice);
    } catch (error) {
      if (!(error instanceof StoppedBeforeSending)) throw error;
    }
  }

  /**
   * After a 404, checks the chosen job: if it is gone, a new one gets the prompt; otherwise, tries
   * once more.
   */
  async #sendPatiently(choice: Candidate): Promise<void> {
    const begun = this.card;
    try {
      await this.#sendOnce(choice);
    } catch (error) {
      const { job } = choice;
      if (job === undefined || !isNotFound(error)) throw error;
      await this.deps.clock.sleep(againMs);
      const jobNow = await findJob(job.id, choice.askedAt, this.deps);
      this.become(markClaimed(begun));
      if (jobNow === undefined && choice.in === 'inputs') throw error;
      const again = choose({ ...choice, job: jobNow });
      this.become(explainNewJob(this.card, again.why));
      await this.#sendOnce(again);
    }
  }

  /** Sends the prompt. If the service rejects its size, sends it again without patches. */
  async #sendOnce(choice: Candidate): Promise<void> {
    const { job, pull } = choice;
    const composed = this.composePrompt(job);
    const started = addPull({ ...this.card, head: composed.head }, job, pull);
    const begun = addRemark(started, 'fold', composed.note);
    this.become(begun);
    try {
      await this.#post(composed.prompt, job);
    } catch (error) {
      // The service documents no size limit. If a prompt is too long, it probably returns 400 or
      // 413 and creates nothing.
      const mayBeTooLarge =
        error instanceof ServiceError && (error.status === 400 || error.status === 413);
      if (composed.smaller === undefined || !mayBeTooLarge) throw error;
      this.become(addRemark(begun, 'fold', remarks.sentWithoutPatches));
      await this.#post(composed.smaller, job);
    }
  }

  /**
   * Says in the thread that the request is about to be sent. Whatever happens next, no other run
   * sends it.
   */
  async #announce(sending: Card): Promise<void> {
    const saved = await this.store?.save(sending);
    if (saved !== undefined && saved.thread === undefined) this.#stopDeleted();
  }

  /** Whether others may have acted since the thread was read. */
  get #isOutdated(): boolean {
    return this.#claim !== undefined && this.deps.clock.now() - this.#confirmedAtMs > maxPauseMs;
  }

  /** After a pause, reads the thread again, and sends nothing if the claim no longer counts. */
  async #confirmClaim(): Promise<void> {
    const { card, store } = this;
    const claim = this.#claim;
    if (!this.#isOutdated || claim === undefined || store === undefined) return;
    const cards = await store.readBeside(claim);
    const own = cards.find(({ comment }) => comment.id === claim.id);
    if (own === undefined) return this.#stopDeleted();
    const claims = claimsOf(cards, card, card.login);
    if (claims.some((claim) => claim.card.generation > card.generation)) {
      await this.tryTo(() => store.withdraw(own));
      const hidden = { ...card, comment: undefined };
      return this.#stop(hidden, { outcome: 'skipped', reason: 'another-run' });
    }
    const isOurs = own.card.state.is === 'sending' && own.card.nonce === card.nonce;
    const nowMs = this.deps.clock.now();
    if (!isOurs || isAbandoned(own, nowMs)) {
      const paused = addRemark(card, 'fold', remarks.paused);
      return this.#stop(paused, { outcome: 'failed', reason: 'interrupted' });
    }
    this.#confirmedAtMs = nowMs;
  }

  #stopDeleted(): never {
    const hidden = { ...this.card, thread: undefined, comment: undefined };
    const because = whyNot.statusDeleted;
    return this.#stop(hidden, { outcome: 'skipped', reason: 'deleted', because });
  }

  /** Stops the run before it sends anything. */
  #stop(card: Card, ending: Ending): never {
    this.become(stopRun(card, ending));
    throw new StoppedBeforeSending();
  }

  /**
   * Sends the one request that costs credits. After an error, the card says whether the service may
   * have accepted it.
   */
  async #post(prompt: string, recipient: Job | undefined): Promise<void> {
    const { clock, signal, runner } = this.deps;
    const isNew = recipient === undefined;
    const markNow = () => markSending(this.card, isNew ? 'create' : 'message', clock.now());
    await this.#announce(markNow());
    const options: CallOptions = {
      beforeSend: async () => {
        signal.throwIfAborted();
        await this.#confirmClaim();
      },
      // If the run is killed before this, `post` knows that nothing was sent.
      onSend: () => {
        if (this.#isOutdated) throw new Error('the machine was paused while it connected');
        this.become(markNow());
      },
      onWait: (error, waitMs) => {
        this.become(markClaimed(this.card));
        runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
      },
    };
    let job: Job;
    try {
      job = await withGrace(this.deps, ({ service }) => {
        if (recipient === undefined) return service.createJob(prompt, options);
        return service.sendMessage(recipient.id, prompt, options);
      });
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.reason !== 'unconfirmed';
      if (isRefused) this.become(markClaimed(this.card));
      throw error;
    }
    const kib = Math.ceil(Buffer.byteLength(prompt) / 1024);
    runner.verbatim(`What was sent (${kib} KiB)`, prompt);
    const model = job.model == null ? job.status : `${job.status}, ${job.model}`;
    const verb = isNew ? 'Created' : 'Sent the follow-up to';
    runner.info(`${verb} job ${toOneLine(job.id)} (${toOneLine(model)}).`);
    this.become(markWorking(this.card, job, recipient));
  }

  /** Watches the job to its end, or leaves it running, and looks at its pull request. */
  override async follow(): Promise<void> {
    if (this.card.state.is === 'working') await this.#watchJob(this.card.state);
    if (this.card.stop !== undefined || this.card.state.is !== 'ended') return;
    const hasPull = pullRequestOf(this.card.state.job) !== undefined;
    if (hasPull) await this.#requestReview(await this.lookAtPull(this.card));
  }

  /**
   * Requests a review of the pull request, once the thread shows the card without the reviewer. If
   * it can't, a later run would request the review again.
   */
  async #requestReview(followed: Followed): Promise<void> {
    const { deps } = this;
    if (!hasGitHub(deps)) return;
    const review = prepareReview(followed, new Writer(new Set(), deps), deps);
    if (review === 'postponed') return this.become(followed.card);
    this.become(review.card);
    if (review.request === undefined) return;
    if ((await this.show()) !== 'done') return this.become(followed.card);
    this.become(addRemark(this.card, 'fold', await review.request()));
  }

  async #watchJob(state: Extract<Card['state'], { is: 'working' }>): Promise<void> {
    const { deps, takenOver } = this;
    const { timeoutMs } = this.plan;
    // Right after a follow-up, the job's status may be from before the follow-up.
    const isOver = isTerminal(state.job.status) && state.before === undefined;
    if (!isOver && !this.plan.ask.wait)
      return this.become(stopRun(this.card, { outcome: 'detached', reason: 'not-waited' }));
    this.become(watchUntil(this.card, deps.clock.now() + timeoutMs));
    // Re-runs and follow-ups look for the job in the thread. A result stays there, even if a
    // follow-up made the job active again.
    if (!isOver && takenOver?.state.is !== 'ended') await this.show();
    const keep = (card: Card) => this.become(card);
    this.become(await watch(this.card, { timeoutMs, keep }, deps));
  }

  /**
   * Looks at the pull request of an ended job. If this token can't see it, collect mode may have a
   * token that can, so only the summary says so.
   */
  async lookAtPull(card: Card): Promise<Followed> {
    const { deps } = this;
    if (!hasGitHub(deps)) return { card };
    const whyUnread = new Set<string>();
    const follower = openFollower(this.plan, whyUnread, deps);
    const followed = await follower.follow(card);
    const { pull } = followed;
    const isUnseen = pull === 'unseen';
    let after = isUnseen ? card : followed.card;
    for (const problem of follower.problems()) after = addRemark(after, 'summary', problem);
    for (const why of whyUnread)
      after = addRemark(after, 'summary', `The pull request couldn’t be read. ${why}`);
    if (isUnseen) after = addRemark(after, 'summary', remarks.unseenPull);
    return { card: after, pull };
  }

  /** Posts or edits the status comment. `failed`: another try may help. */
  async show(): Promise<Attempt> {
    const { card, store } = this;
    if (card === this.#shown) return 'done';
    return this.tryTo(async () => {
      this.become((await store?.save(card)) ?? card);
      this.#shown = this.card;
    });
  }

  /** Reacts to the request's comment. `failed`: another try may help. `deleted`: it is gone. */
  async react(reaction: Reaction): Promise<Attempt | 'deleted'> {
    const { card } = this;
    const { github, event } = this.deps;
    const { source } = card;
    if (source === undefined || github === undefined || event.kind !== 'comment') return 'done';
    const { number } = event.thread;
    let isDeleted = false;
    const attempt = await this.tryTo(async () => {
      try {
        for (const write of reactionsTo(card, reaction, undefined, github)) await write();
      } catch (error) {
        // GitHub may return a single 404 from an outdated replica.
        isDeleted = isGone(error) && !(await github.isThere(source, number));
        // If the problem lasts, the reaction at the end of the run reports it.
        const isReportedLater = reaction === 'eyes' && error instanceof GitHubError;
        if (!isDeleted && !isReportedLater) throw error;
      }
    }, 'The status comment isn’t affected.');
    return isDeleted ? 'deleted' : attempt;
  }

  /**
   * Deletes the request's obsolete comments. If a comment can't be deleted, a later run tries
   * again.
   */
  async tidy(card = this.card): Promise<void> {
    const { found, store } = this;
    if (store === undefined || found === undefined) return;
    const holder = findHolder(found.ours, card, this.deps.clock.now());
    const gone: PostedCard[] = [];
    for (const posted of findObsolete(found.ours, holder, card)) {
      const withdraw = () => store.withdraw(posted);
      const attempt = await this.tryTo(withdraw, 'A later run tries again.');
      if (attempt !== 'failed') gone.push(posted);
    }
    this.found = { ...found, ours: found.ours.filter((posted) => !gone.includes(posted)) };
  }
}
