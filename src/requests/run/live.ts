import type { OutputsOf } from '../../core/mode-result.ts';
import type { Deps } from '../../deps.ts';
import type { Reaction } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import { type Card, endingOf, jobOf, pullRequestOf, toStored } from '../card/card.ts';
import { checksOf } from '../card/pull.ts';
import { remarks } from '../card/sentences.ts';
import { interrupted } from '../card/transitions.ts';
import { openFollower } from '../follow/pull.ts';
import { holderOf, outdated } from '../thread/claims.ts';
import type { PostedCard } from '../thread/find.ts';
import { isGone, openStore, reactionsTo, type Store } from '../thread/store.ts';
import { Run } from './run.ts';

/** The name under which the runner saves the card for `post`. */
const savedState = 'run';

/** A run that writes: for `post`, and in the thread, as far as it can. */
export class LiveRun extends Run<Deps> {
  /** Access to the comments in a card's thread; `undefined` without a thread or a token. */
  storeOf({ thread }: Card): Store | undefined {
    const { github } = this.deps;
    if (thread === undefined || github === undefined) return undefined;
    return openStore(thread, this.plan.owner, { ...this.deps, github });
  }

  /** Saves the card for `post`, and sets the outputs that are correct if the process is killed right after this. */
  override keep(card: Card): Card {
    const { runner } = this.deps;
    runner.saveState(savedState, JSON.stringify(toStored(card)));
    const { outcome = '', reason = '' } = endingOf(interrupted(card, 'interrupted')) ?? {};
    for (const [name, value] of Object.entries({ outcome, reason, ...outputsOf(card) }))
      if (value !== '') runner.setOutput(name, value);
    return super.keep(card);
  }

  /** Clears the saved card, so that `post` does nothing. */
  forget(): void {
    if (this.kept !== undefined) this.deps.runner.saveState(savedState, '');
  }

  /** Posts or edits the status comment. `isOver`: there is no point in trying again. `isShown`: the thread shows the card. */
  async show(card: Card, within = this.deps.signal) {
    this.keep(card);
    const save = async () => this.keep((await this.storeOf(card)?.save(card, within)) ?? card);
    // The run could write here a moment ago, so `post` may be able to write again.
    const mayPass = card.comment !== undefined && !this.plan.isPost;
    const { value: shown, isOver } = await this.bestEffort(save, { mayPass });
    return { card: shown ?? card, isOver, isShown: shown !== undefined };
  }

  /** Reacts to the request's comment. `failed`: another try may help. `deleted`: the comment is gone. */
  async react(reaction: Reaction, card: Card, within = this.deps.signal) {
    const { github } = this.deps;
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
    const { isOver } = await this.bestEffort(act, { meaning: 'The status comment isn’t affected.' });
    if (isDeleted) return 'deleted';
    return isOver ? 'done' : 'failed';
  }

  /** Deletes the request's obsolete comments. If a comment can't be deleted, a later run tries again. */
  async tidy(card: Card, within = this.deps.signal): Promise<void> {
    const { found } = this;
    const store = this.storeOf(card);
    if (store === undefined || found === undefined) return;
    const gone: PostedCard[] = [];
    const meaning = 'A later run tries again.';
    for (const posted of outdated(found.ours, holderOf(found.ours, card, this.deps.clock.now()), card))
      if ((await this.bestEffort(() => store.withdraw(posted, within), { meaning })).isOver)
        gone.push(posted);
    this.found = { ...found, ours: found.ours.filter((posted) => !gone.includes(posted)) };
  }

  /** Looks at the pull request of an ended job. If this token can't see it, collect mode may have a token that can. */
  async lookAtPull(card: Card): Promise<Card> {
    const { github } = this.deps;
    if (github === undefined) return card;
    const whyNot = new Set<string>();
    const { follow, notes } = openFollower(this.plan, whyNot, { ...this.deps, github });
    const after = await follow(card);
    this.asides.push(...notes(), ...[...whyNot].map((why) => `The pull request couldn’t be read. ${why}`));
    if (after.answer !== 'unseen') return after.card;
    this.asides.push(remarks.unseenPull);
    return card;
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
