import { formatDuration } from '../../text/duration.ts';
import { oneLine, shortCode } from '../../text/markdown.ts';
import { bold, linkTo, type Phrase, say } from '../../text/phrase.ts';
import { type Card, causeOf, endingOf, hasCommands, jobOf, pullRequestOf } from './card.ts';
import { checksOf, pullOf } from './pull.ts';

export const nothing = 'Nothing was sent to the agent.';

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
    if (this.#url === undefined) return say`A pull request (the service didn’t return a usable link to it)`;
    const { shown } = pullOf(this.card) ?? {};
    if (shown !== undefined) return [{ link: [`#${this.#number} `, { title: shown.title }], url: this.#url }];
    return linkTo(this.#number === '' ? 'The pull request' : `Pull request #${this.#number}`, this.#url);
  }

  /** The size of the pull request and whether it builds, as the start of a line. */
  get #size(): string {
    const { shown } = pullOf(this.card) ?? {};
    if (shown === undefined) return '';
    const [added, removed, files] = [shown.additions, shown.deletions, shown.changedFiles].map((count) =>
      count.toLocaleString('en'),
    );
    const builds = new Map([
      ['building', ' · still building'],
      ['built', ' · built'],
    ]);
    const build = builds.get(checksOf(this.card)?.is ?? '') ?? '';
    return `\`+${added} −${removed}\` in ${files} ${shown.changedFiles === 1 ? 'file' : 'files'}${build}. `;
  }

  /** The link to the pull request of a job that failed or was archived. */
  get strayPull(): Phrase[] {
    if (this.#url === undefined) return [];
    const fates = { merged: ', which was merged', closed: ', which was closed without merging' };
    const fate = fates[pullOf(this.card)?.state as keyof typeof fates] ?? '';
    return [say`It did open a pull request: ${this.pull}${fate}.`];
  }

  /** The reminder that the pull request has been open for some time. */
  openFor(ms: number): Phrase {
    const open = bold`${this.pull} has been open for ${formatDuration(ms)}.`;
    return say`🔔 ${open} It’s waiting for a review; merge or close it when you’re done.`;
  }

  /** The check that decided. */
  get check(): string {
    return shortCode(checksOf(this.card)?.name ?? '');
  }

  /** A link to the details of the check that decided, if it has one. */
  get #details(): Phrase[] {
    const { url } = checksOf(this.card) ?? {};
    return url === undefined ? [] : [linkTo('details', url)];
  }

  /** The line that says that the pull request doesn't build, if so. */
  get notBuilt(): Phrase[] {
    if (checksOf(this.card)?.is !== 'not-built') return [];
    const details = this.#details.flatMap((link) => say` (${link})`);
    return [say`❌ ${this.check} failed${details}.`];
  }

  /** A command that asks the agent to fix a pull request that doesn't build, and what to say before it. */
  get fix(): { readonly lead: Phrase; readonly command: string } | undefined {
    const { is, name = '' } = checksOf(this.card) ?? {};
    if (is !== 'not-built' || !hasCommands(this.card) || this.card.answer !== undefined) return undefined;
    const isElsewhere = this.#url?.startsWith(this.#repositoryUrl) !== true;
    const where = this.#isOtherThread ? say`on the pull request` : this.here;
    const check = Array.from(oneLine(name)).slice(0, 100).join('').replaceAll('"', "'");
    const on = isElsewhere ? this.#url : 'this pull request';
    const command = `${this.card.command} The check "${check}" failed on ${on}. Fix what it reports.`;
    return { lead: say`To have the agent fix it, comment ${where}:`, command };
  }

  /** How a pull request ended. That may have been before the follow-up was sent. */
  ended(how: string): Lines {
    const { command } = this.card;
    const details = this.#details.map((link) => say`See the ${link}.`);
    const afresh = say`If the pull request doesn’t include your follow-up, start over with \`${command} --new …\`.`;
    const isUnsure = this.card.ask === 'message' && hasCommands(this.card);
    return [bold`${this.pull} ${how}.`, ...details, ...(isUnsure ? [afresh] : [])];
  }

  get #repositoryUrl(): string {
    return this.card.runUrl.replace(/\/actions\/.*/, '');
  }

  /** Whether the pull request is in this repository, but isn't the current thread. */
  get #isOtherThread(): boolean {
    const isHere = this.#url === `${this.#repositoryUrl}/pull/${this.#number}`;
    return isHere && this.#number !== String(this.card.thread);
  }

  /** Where to comment: nothing for the thread itself. */
  get #at(): Phrase {
    return this.here[0] === 'here' ? [] : say` ${this.here}`;
  }

  /** How long the job took, for the end of a line. */
  get took(): string {
    const ms = tookMs(this.card);
    return ms === undefined ? '' : ` (${formatDuration(ms)})`;
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
    if (this.card.attempt === 1) return [say`${cause} ${nothing}`];
    return [
      say`${cause} This attempt sent nothing to the agent, but an earlier one may have sent the request. Ask again only if the service’s dashboard doesn’t show the request.`,
    ];
  }

  /** The line of a run that doesn't wait for its job. */
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
    const where = this.#url === undefined ? [say`The service’s dashboard shows it.`] : [];
    // On its own line, the flag isn't broken on a phone.
    const afresh = hasCommands(this.card) ? [say`Start over with \`${this.card.command} --new …\`.`] : [];
    return [...this.notBuilt, ...where, say`${this.#size}${this.ask('for changes')}.`, ...afresh];
  }

  /** How a follow-up that the agent may not have picked up may have ended. */
  get unseen(): Lines {
    const { outcome } = endingOf(this.card) ?? {};
    const isOver = outcome === 'archived' || outcome === 'failed';
    const end =
      outcome === 'archived' ? 'was archived' : isOver ? 'failed' : 'finished without a pull request';
    const doubt =
      outcome === 'pr-created'
        ? say`It may be missing from ${this.pull}.`
        : say`The job ${end}, possibly before the follow-up arrived.`;
    return [
      say`${bold`We couldn’t confirm that the agent picked up the follow-up.`} ${doubt}`,
      isOver ? this.startOver : say`${this.ask('again', 'If so, ')}.`,
    ];
  }

  /** How to repeat a request that may have been sent. The status comment keeps re-runs from repeating it automatically. */
  get remedy(): Phrase {
    const { command, thread, isCommand } = this.card;
    const rerun =
      thread === undefined ? 'run the workflow again' : 'delete the status comment and re-run the workflow';
    const where = thread === undefined ? [] : this.#at;
    const again = say`ask again with \`${command} ${this.card.ask === 'message' ? '' : '--new '}…\`${where}`;
    return say`The request won’t be sent again automatically. Look for it in the service’s dashboard. If it isn’t there, ${isCommand ? again : rerun}.`;
  }

  /** How to ask `for more`, `for changes`, or `again`; `before` begins the sentence. */
  ask(what: string, before = ''): Phrase {
    const { thread, isCommand, command } = this.card;
    const [ask, a] = before === '' ? ['Ask', 'A'] : [`${before}ask`, `${before}a`];
    if (thread === undefined && isCommand) return say`${a} new \`${command} …\` starts a new job`;
    if (thread === undefined)
      return say`${ask} ${what} by running the workflow with ${this.#jobId} and a \`prompt\``;
    // Another workflow may read commands in this thread.
    const condition = isCommand ? '' : `, if this repository has a \`${command}\` workflow`;
    const where = this.#isOtherThread ? say` ${this.here} or on the pull request` : this.#at;
    return say`${ask} ${what} with \`${command} …\`${where}${condition}`;
  }

  /** How to check on a job that is still running after this run. */
  get whereToLook(): Phrase {
    if (hasCommands(this.card)) return say`\`${this.card.command} status\`${this.#at} shows its progress.`;
    if (this.card.thread === undefined) return say`To follow the job, run the workflow with ${this.#jobId}.`;
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
