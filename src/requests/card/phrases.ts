import { isSameRepository, parsePullRequest, parseRepository } from '../../core/address.ts';
import { formatCount, pluralize } from '../../text/counts.ts';
import { formatDuration } from '../../text/duration.ts';
import { code } from '../../text/markdown.ts';
import { bold, linkTo, type Phrase, say } from '../../text/phrase.ts';
import { type Card, causeOf, endingOf, hasCommands, jobOf, pullRequestOf } from './card.ts';
import { checksOf, pullOf } from './pull.ts';

export const nothing = 'Nothing was sent.';
export const dashboard = linkTo('dashboard', 'https://dashboard.mintlify.com');

/** One line that names the situation, then lines that say what to do. */
export type Lines = readonly [line: Phrase, ...next: Phrase[]];

/** The phrases that the words about a card are made of. External text in them is code or a link. */
export class Phrases {
  readonly card: Card;
  readonly here: Phrase;
  /** The job's pull request, if its URL is usable. */
  readonly #link: ReturnType<typeof pullRequestOf>;

  /** @param here how to name the thread. In the thread itself, that is `here`. */
  constructor(card: Card, here: Phrase = ['here']) {
    this.card = card;
    this.here = here;
    this.#link = pullRequestOf(jobOf(card));
  }

  /** A link to the pull request, or only its name if the URL isn't usable. */
  get pull(): Phrase {
    if (this.#link === undefined)
      return say`A pull request (the service didn’t return a usable link to it)`;
    const { url, number } = this.#link;
    const shown = pullOf(this.card)?.shown;
    if (shown !== undefined) return [{ link: [`#${number} `, { title: shown.title }], url }];
    return linkTo(number === '' ? 'The pull request' : `Pull request #${number}`, url);
  }

  /** On one line: the size of the pull request, whether it was built, how long the job took. */
  get facts(): Phrase[] {
    const shown = pullOf(this.card)?.shown;
    const build = checksOf(this.card)?.is;
    const ms = tookMs(this.card);
    const { requester } = this.card;
    const facts: Phrase[] = [];
    if (shown !== undefined) {
      const size = `\`+${formatCount(shown.additions)} −${formatCount(shown.deletions)}\``;
      facts.push([`${size} in ${pluralize(shown.changedFiles, 'file')}`]);
    }
    if (build === 'building') facts.push(['still building']);
    if (build === 'built') facts.push(this.linked('built'));
    if (ms !== undefined)
      facts.push([`${shown === undefined ? 'Took' : 'took'} ${formatDuration(ms)}`]);
    // In the thread itself, the details name the person.
    if (!this.#isInThread && requester !== undefined) {
      const isFirst = shown === undefined && ms === undefined;
      facts.push([`${isFirst ? 'Requested' : 'requested'} by ${code(requester)}`]);
    }
    if (facts.length === 0) return [];
    return [facts.flatMap((fact) => [' · ', ...fact]).slice(1)];
  }

  /** The link to the pull request of a job that failed or was archived. */
  get strayPull(): Phrase[] {
    if (this.#link === undefined) return [];
    return [say`It did open a pull request: ${this.pull}.`];
  }

  openFor(ms: number): Phrase {
    const open = bold`${this.pull} has been open for ${formatDuration(ms)}.`;
    return say`🔔 ${open} It’s waiting for a review; merge or close it when you’re done.`;
  }

  get check(): Phrase {
    return this.linked(code(checksOf(this.card)?.name ?? ''));
  }

  /** Our own text, with a link to the details of the check that decided, if it has any. */
  linked(text: string): Phrase {
    const url = checksOf(this.card)?.url;
    if (url === undefined) return [text];
    return linkTo(text, url);
  }

  /** A command to fix a pull request that doesn't build, and what to say before it. */
  get fix(): { readonly lead: Phrase; readonly command: string } | undefined {
    const checks = checksOf(this.card);
    const isReply = this.card.answer !== undefined;
    if (checks?.is !== 'not-built' || !hasCommands(this.card) || isReply) return undefined;
    const where = this.#isOtherThread ? say`on the pull request` : this.here;
    const lead = say`Have the agent fix it: comment ${where}`;
    const command = `${this.card.command} fix the failed build`;
    if (this.#isInRepository) return { lead, command };
    // Failed checks go along only with a command on the pull request itself.
    return { lead, command: `${command}\nThe check: ${checks.name}` };
  }

  /** The pull request was merged, maybe before the follow-up was sent. */
  merged(line: Phrase): Lines {
    if (this.card.ask !== 'message' || !hasCommands(this.card)) return [line];
    const unless = 'If the pull request doesn’t include your follow-up,';
    return [line, say`${unless} ${this.#startOverCommand}`];
  }

  get closed(): Lines {
    const line = bold`${this.pull} was closed without merging.`;
    if (!hasCommands(this.card)) return [line];
    return [line, say`Reopen it, or ${this.#startOverCommand}`];
  }

  get #startOverCommand(): string {
    return `start over with \`${this.card.command} --new …\`.`;
  }

  /** Whether the pull request is in the repository of the card's run. */
  get #isInRepository(): boolean {
    const pull = parsePullRequest(this.#link?.url);
    const repository = parseRepository(this.card.runUrl);
    if (pull === undefined || repository === undefined) return false;
    return isSameRepository(pull, repository);
  }

  /** Whether the pull request is in this repository, but isn't the current thread. */
  get #isOtherThread(): boolean {
    return this.#isInRepository && this.#link?.number !== String(this.card.thread);
  }

  /** Whether the words are for the thread itself, not for a summary. */
  get #isInThread(): boolean {
    return this.here[0] === 'here';
  }

  /** Where to comment, as the end of a sentence: empty for the thread itself. */
  get #at(): Phrase {
    if (this.#isInThread) return [];
    return say` ${this.here}`;
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
    const ask = say`${this.ask('To change something')}.`;
    if (this.#link !== undefined) return [...this.facts, ask];
    return [...this.facts, say`The service’s ${dashboard} shows it.`, ask];
  }

  /** How a follow-up that the agent may not have picked up may have ended. */
  get unseen(): Lines {
    const unsure = bold`We couldn’t confirm that the agent picked up the follow-up.`;
    const again = say`${this.ask('To ask again')}.`;
    const doubt = (how: string) =>
      say`${unsure} The job ${how}, possibly before the follow-up arrived.`;
    switch (endingOf(this.card)?.outcome) {
      case 'pr-created':
        return [say`${unsure} It may be missing from ${this.pull}.`, again];
      case 'failed':
        return [doubt('failed'), this.startOver];
      case 'archived':
        return [doubt('was archived'), this.startOver];
      default:
        return [doubt('finished without a pull request'), again];
    }
  }

  /**
   * How to repeat a request that may have been sent. The status comment keeps re-runs from
   * repeating it automatically.
   */
  get remedy(): Phrase {
    const sent = this.card.ask === 'message' ? 'follow-up' : 'job';
    return say`Look for the ${sent} in the service’s ${dashboard}. If it isn’t there, ${this.#again}. If it is, its result won’t be posted here. Nothing is sent again automatically.`;
  }

  get #again(): Phrase {
    const { thread, isCommand, command, ask } = this.card;
    if (isCommand) {
      const flag = ask === 'message' ? '' : '--new ';
      return say`comment \`${command} ${flag}…\`${thread === undefined ? [] : this.#at}`;
    }
    if (thread === undefined) return ['run the workflow again'];
    return ['delete the status comment and re-run the workflow'];
  }

  /** How to make another request. @param purpose begins the sentence. */
  ask(purpose: 'For more' | 'To change something' | 'To ask again'): Phrase {
    const { thread, isCommand, command } = this.card;
    if (thread === undefined && isCommand) return say`A new \`${command} …\` starts a new job`;
    if (thread === undefined)
      return say`${purpose}, run the workflow with ${this.#jobId} and a \`prompt\``;
    // Another workflow may read commands in this thread.
    const condition = isCommand ? '' : `, if this repository has a \`${command}\` workflow`;
    const where = this.#isOtherThread ? say` ${this.here} or on the pull request` : this.#at;
    return say`${purpose}, comment \`${command} …\`${where}${condition}`;
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
    return job === undefined ? 'its `job-id`' : code(`job-id: ${job.id}`);
  }

  /** How to start a new job if this one accepts no more follow-ups. */
  get startOver(): Phrase {
    const { ask, runUrl, command } = this.card;
    if (ask === 'create') return say`${linkTo('Re-run the workflow', runUrl)} to start a new job.`;
    if (hasCommands(this.card)) return say`\`${command} --new …\`${this.#at} starts a new job.`;
    return say`Run the workflow without \`job-id\` to start a new job.`;
  }
}

/** How long the job took or was watched; `undefined` if no process was watching. */
export function tookMs({ askedAt, endedAt }: Card): number | undefined {
  if (askedAt === undefined || endedAt === undefined) return undefined;
  return endedAt - askedAt;
}
