import { isSameRepository, parsePullRequest, parseRepository } from '../../core/address.ts';
import { counted, formatCount } from '../../text/counts.ts';
import { formatDuration } from '../../text/duration.ts';
import { oneLine, shortCode } from '../../text/markdown.ts';
import { bold, linkTo, type Phrase, say } from '../../text/phrase.ts';
import { type Card, causeOf, endingOf, hasCommands, jobOf, pullRequestOf } from './card.ts';
import { checksOf, pullOf } from './pull.ts';

export const nothing = 'Nothing was sent.';
export const dashboard = linkTo('dashboard', 'https://dashboard.mintlify.com');

/** One line that names the situation, then lines that say what to do. */
export type Lines = readonly [line: Phrase, ...next: Phrase[]];

/** The phrases that the words about a card are made of. All external text in them is code or a link. */
export class Phrases {
  readonly card: Card;
  readonly here: Phrase;
  readonly #url: string | undefined;
  readonly #number: string;

  /** @param here how to name the thread. In the thread itself, that is `here`. */
  constructor(card: Card, here: Phrase = ['here']) {
    this.card = card;
    this.here = here;
    ({ url: this.#url, number: this.#number = '' } = pullRequestOf(jobOf(card)) ?? {});
  }

  /** A link to the pull request, or only its name if the URL isn't usable. */
  get pull(): Phrase {
    if (this.#url === undefined)
      return say`A pull request (the service didn’t return a usable link to it)`;
    const { shown } = pullOf(this.card) ?? {};
    if (shown !== undefined)
      return [{ link: [`#${this.#number} `, { title: shown.title }], url: this.#url }];
    return linkTo(
      this.#number === '' ? 'The pull request' : `Pull request #${this.#number}`,
      this.#url,
    );
  }

  /** The size of the pull request, whether it was built, how long the job took, and in a summary, for whom, on one line. */
  get facts(): Phrase[] {
    const { shown } = pullOf(this.card) ?? {};
    const { is } = checksOf(this.card) ?? {};
    const [added, removed] = [formatCount(shown?.additions), formatCount(shown?.deletions)];
    const size = shown && `\`+${added} −${removed}\` in ${counted(shown.changedFiles, 'file')}`;
    const ms = tookMs(this.card);
    const requester = this.#at.length > 0 ? this.card.requester : undefined;
    const parts: Phrase[] = [
      size ? [size] : [],
      is === 'building' ? ['still building'] : is === 'built' ? this.linked('built') : [],
      ms === undefined ? [] : [`${size ? 'took' : 'Took'} ${formatDuration(ms)}`],
      requester === undefined
        ? []
        : [`${size || ms ? 'requested' : 'Requested'} by ${shortCode(requester)}`],
    ];
    const line = parts.flatMap((part) => (part.length === 0 ? [] : [' · ', ...part])).slice(1);
    return line.length === 0 ? [] : [line];
  }

  /** The link to the pull request of a job that failed or was archived. */
  get strayPull(): Phrase[] {
    if (this.#url === undefined) return [];
    const fates = { merged: ', which was merged', closed: ', which was closed without merging' };
    const fate = fates[pullOf(this.card)?.state as keyof typeof fates] ?? '';
    return [say`It did open a pull request: ${this.pull}${fate}.`];
  }

  openFor(ms: number): Phrase {
    const open = bold`${this.pull} has been open for ${formatDuration(ms)}.`;
    return say`🔔 ${open} It’s waiting for a review; merge or close it when you’re done.`;
  }

  get check(): Phrase {
    return this.linked(shortCode(checksOf(this.card)?.name ?? ''));
  }

  /** Our own text, with a link to the details of the check that decided, if it has any. */
  linked(text: string): Phrase {
    const { url } = checksOf(this.card) ?? {};
    return url === undefined ? [text] : linkTo(text, url);
  }

  /** A command that asks the agent to fix a pull request that doesn't build, and what to say before it. */
  get fix(): { readonly lead: Phrase; readonly command: string } | undefined {
    const { is, name = '' } = checksOf(this.card) ?? {};
    if (is !== 'not-built' || !hasCommands(this.card) || this.card.answer !== undefined)
      return undefined;
    const where = this.#isOtherThread ? say`on the pull request` : this.here;
    // Failed checks go along only with a command on the pull request itself.
    const which = !this.#isInRepository
      ? `\nThe check: ${Array.from(oneLine(name)).slice(0, 100).join('')}`
      : '';
    const command = `${this.card.command} fix the failed build${which}`;
    return { lead: say`Have the agent fix it: comment ${where}`, command };
  }

  /** How a pull request ended. One that was merged may have ended before the follow-up was sent. */
  ended(line: Phrase, isMerged = true): Lines {
    const { ask, command } = this.card;
    const again = isMerged
      ? 'If the pull request doesn’t include your follow-up,'
      : 'Reopen it, or';
    const isUnsure = !isMerged || ask === 'message';
    const startOver = say`${again} start over with \`${command} --new …\`.`;
    return isUnsure && hasCommands(this.card) ? [line, startOver] : [line];
  }

  /** Whether the pull request is in the repository of the card's run. */
  get #isInRepository(): boolean {
    const pull = parsePullRequest(this.#url);
    const repository = parseRepository(this.card.runUrl);
    if (pull === undefined || repository === undefined) return false;
    return isSameRepository(pull, repository);
  }

  /** Whether the pull request is in this repository, but isn't the current thread. */
  get #isOtherThread(): boolean {
    return this.#isInRepository && this.#number !== String(this.card.thread);
  }

  /** Where to comment, as the end of a sentence: empty for the thread itself. */
  get #at(): Phrase {
    return this.here[0] === 'here' ? [] : say` ${this.here}`;
  }

  get run(): Phrase {
    return say`${linkTo('Follow the run', this.card.runUrl)}.`;
  }

  /** The cause of the error, or else that the job couldn't be checked. */
  get unchecked(): Phrase {
    return bold`${causeOf(this.card) ?? 'The job couldn’t be checked'}.`;
  }

  /** Names the cause. An earlier attempt may have sent the request without recording it. */
  notSent(usual = 'The request failed; the run’s log says why'): Lines {
    const cause = bold`${causeOf(this.card) ?? usual}.`;
    const unsure = say`This attempt sent nothing, but an earlier one may have sent the request. Ask again only if the service’s ${dashboard} doesn’t show the request.`;
    return [say`${cause} ${this.card.attempt === 1 ? nothing : unsure}`];
  }

  get notWaiting(): Phrase {
    const started = {
      create: 'Started',
      message: 'Sent to the agent',
      attach: 'The job keeps running',
      reply: 'Sent',
    } as const;
    return bold`${started[this.card.ask]}; this run isn’t waiting for the result.`;
  }

  get nextSteps(): Phrase[] {
    const where = this.#url === undefined ? [say`The service’s ${dashboard} shows it.`] : [];
    return [...this.facts, ...where, say`${this.ask('to change something')}.`];
  }

  /** How a follow-up that the agent may not have picked up may have ended. */
  get unseen(): Lines {
    const { outcome } = endingOf(this.card) ?? {};
    const unsure = bold`We couldn’t confirm that the agent picked up the follow-up.`;
    const again = say`${this.ask('to ask again')}.`;
    if (outcome === 'pr-created')
      return [say`${unsure} It may be missing from ${this.pull}.`, again];
    const end =
      outcome === 'failed' ? 'failed' : outcome === 'archived' ? 'was archived' : undefined;
    const how = end ?? 'finished without a pull request';
    const doubt = say`${unsure} The job ${how}, possibly before the follow-up arrived.`;
    return [doubt, end === undefined ? again : this.startOver];
  }

  /** How to repeat a request that may have been sent. The status comment keeps re-runs from repeating it automatically. */
  get remedy(): Phrase {
    const { command, thread, isCommand, ask } = this.card;
    const rerun =
      thread === undefined
        ? 'run the workflow again'
        : 'delete the status comment and re-run the workflow';
    const where = thread === undefined ? [] : this.#at;
    const again = say`comment \`${command} ${ask === 'message' ? '' : '--new '}…\`${where}`;
    return say`Look for the ${ask === 'message' ? 'follow-up' : 'job'} in the service’s ${dashboard}. If it isn’t there, ${isCommand ? again : rerun}. If it is, its result won’t be posted here. Nothing is sent again automatically.`;
  }

  /** How to ask `for more` or `to change something`. */
  ask(what: string): Phrase {
    const { thread, isCommand, command } = this.card;
    const begins = `${what.charAt(0).toUpperCase()}${what.slice(1)},`;
    if (thread === undefined && isCommand) return say`A new \`${command} …\` starts a new job`;
    if (thread === undefined)
      return say`${begins} run the workflow with ${this.#jobId} and a \`prompt\``;
    // Another workflow may read commands in this thread.
    const condition = isCommand ? '' : `, if this repository has a \`${command}\` workflow`;
    const where = this.#isOtherThread ? say` ${this.here} or on the pull request` : this.#at;
    return say`${begins} comment \`${command} …\`${where}${condition}`;
  }

  /** How to check on a job that is still running after this run. */
  get whereToLook(): Phrase {
    if (hasCommands(this.card))
      return say`\`${this.card.command} status\`${this.#at} shows its progress.`;
    if (this.card.thread === undefined)
      return say`To follow the job, run the workflow with ${this.#jobId}.`;
    return say`When the job has finished, re-run the workflow or run it with \`mode: collect\` to post the result ${this.here}.`;
  }

  get #jobId(): string {
    const job = jobOf(this.card);
    return job === undefined ? 'its `job-id`' : shortCode(`job-id: ${job.id}`);
  }

  /** How to start a new job if this one accepts no more follow-ups. */
  get startOver(): Phrase {
    const { ask, runUrl, command } = this.card;
    if (ask === 'create') return say`${linkTo('Re-run the workflow', runUrl)} to start a new job.`;
    if (hasCommands(this.card)) return say`\`${command} --new …\`${this.#at} starts a new job.`;
    return say`Run the workflow without \`job-id\` to start a new job.`;
  }
}

/** How long the job took or was watched, in milliseconds; `undefined` if no process was watching. */
export function tookMs({ askedAt, endedAt }: Card): number | undefined {
  return askedAt === undefined || endedAt === undefined ? undefined : endedAt - askedAt;
}
