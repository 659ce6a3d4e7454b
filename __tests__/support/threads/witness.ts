import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment } from '../../../simulator/github/types.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import type { InMemorySimulator } from '../../../simulator/in-memory.ts';
import type { Job } from '../../../simulator/service/job.ts';
import { nameOf, senderOf } from '../in-process/life.ts';
import type { Run } from '../played.ts';
import { requestIn } from '../prompts.ts';

/** A prompt or message that the service got. */
export interface Ask {
  readonly job: Job;
  readonly at: number;
  readonly prompt: string;
  readonly sent?: Sent;
}

/** What a run did, and when: `nth` counts what happened, because time often stands still. */
interface Act {
  readonly run: string | undefined;
  readonly nth: number;
}

interface Sent extends Act {
  readonly key: string | undefined;
}

interface Deletion {
  readonly comment: Comment;
  readonly nth: number;
}

type Round = Job['rounds'][number];

/** Knows which run sent and wrote what, and judges from outside which requests may be sent twice. */
export class Witness {
  readonly #core: InMemorySimulator;
  readonly #keys = new Map<string, string | undefined>();
  readonly #begun = new Map<string, number>();
  readonly #sent = new Map<Round, Sent>();
  readonly #asks = new Map<Round, Ask>();
  /** The run that posted each comment, and the one that wrote it last, by comment ID. */
  readonly #posters = new Map<number, string | undefined>();
  readonly #writers = new Map<number, string | undefined>();
  readonly #deletions: Deletion[] = [];
  /** When runs read or wrote comments. */
  readonly #looks: Act[] = [];
  #nth = 0;

  constructor(core: InMemorySimulator) {
    this.#core = core;
    core.onBoundary((request, phase) => {
      if (phase !== 'handled') return;
      this.#nth += 1;
      const act = { run: senderOf(request), nth: this.#nth };
      if (request.to === 'github') this.#seeGitHub(request, act);
      else if (request.method === 'POST') this.#seeSent(request, act);
    });
  }

  #seeSent({ headers, bodyText }: RecordedRequest, act: Act): void {
    const rounds = this.#core.service.jobs.flatMap((job) => job.rounds);
    const round = rounds.find(
      (one) => !this.#sent.has(one) && bodyText === JSON.stringify({ prompt: one.prompt }),
    );
    if (round !== undefined) this.#sent.set(round, { ...act, key: headers.authorization });
  }

  #seeGitHub({ method, path, fault, bodyText }: RecordedRequest, act: Act): void {
    const [, id, list] = /\/issues\/(?:comments\/(\d+)|\d+\/(comments))$/.exec(path) ?? [];
    const isComments = id !== undefined || list !== undefined;
    // After a fault, the run doesn't know what GitHub said.
    if (isComments && fault === null) this.#looks.push(act);
    if (method === 'PATCH' && id !== undefined) this.#writers.set(Number(id), act.run);
    if (method !== 'POST' || list === undefined) return;
    const posted = this.#core.github.comments.findLast(
      (comment) =>
        comment.login === BOT_LOGIN &&
        !this.#posters.has(comment.id) &&
        bodyText === JSON.stringify({ body: comment.body }),
    );
    if (posted === undefined) return;
    this.#posters.set(posted.id, act.run);
    this.#writers.set(posted.id, act.run);
  }

  /** Call this before a run starts. */
  expect(run: Run): void {
    this.#keys.set(nameOf(run), run.inputs['api-key']);
    this.#begun.set(nameOf(run), this.#core.clock.now());
  }

  /** When the run that sent a prompt began. */
  beganMs({ run = '' }: Sent): number {
    return this.#begun.get(run) ?? 0;
  }

  /** Whether a person has deleted a status comment of the request. */
  wasDeleted(prompt: string): boolean {
    return this.#deletionsOf(prompt).length > 0;
  }

  /** Call this before a person deletes a comment. */
  noteDeletion(comment: Comment): void {
    this.#nth += 1;
    this.#deletions.push({ comment, nth: this.#nth });
  }

  /** The run that posted a comment. */
  posterOf({ id }: Comment): string | undefined {
    return this.#posters.get(id);
  }

  /** The API key with which a comment was signed last. */
  keyOf({ id }: Comment): string | undefined {
    return this.#keys.get(this.#writers.get(id) ?? '');
  }

  /** Each time that the service got the prompt, in order. */
  asksOf(prompt: string): Ask[] {
    return this.asks().filter((ask) => ask.prompt === prompt);
  }

  /** Everything that the service got, in order. */
  asks(): Ask[] {
    const asks = this.#core.service.jobs.flatMap((job) =>
      job.rounds.map((round) => this.#askOf(job, round)),
    );
    return asks.sort((one, other) => one.at - other.at);
  }

  #askOf(job: Job, round: Round): Ask {
    const known = this.#asks.get(round);
    if (known !== undefined) return known;
    const sent = this.#sent.get(round);
    const ask = { job, at: round.at, prompt: requestIn(round.prompt), ...(sent && { sent }) };
    // Until its request was handled, nobody knows who sent it.
    if (sent !== undefined) this.#asks.set(round, ask);
    return ask;
  }

  /** Whether a person has deleted a status comment of the request since it was last sent. */
  isForgotten(prompt: string): boolean {
    const last = this.asksOf(prompt).at(-1)?.sent?.nth ?? 0;
    return this.#deletionsOf(prompt).some(({ nth }) => nth > last);
  }

  #deletionsOf(prompt: string): Deletion[] {
    return this.#deletions.filter(({ comment }) =>
      comment.body.includes(`\`\`\`text\n${prompt}\n\`\`\``),
    );
  }

  /** What is wrong with how often a prompt was sent. */
  judgeAsks(prompt: string): string[] {
    const asks = this.asksOf(prompt);
    const deletions = this.#deletionsOf(prompt);
    return asks.flatMap((ask, index) => {
      const problems: string[] = [];
      const earlier = asks[index - 1];
      if (earlier !== undefined && !this.#maySendAgain(earlier, ask, deletions))
        problems.push(`${prompt} was sent again, although its job was ${statusOf(earlier, ask)}`);
      const isKnownDeleted = deletions.some(
        ({ comment, nth }) =>
          ask.sent !== undefined &&
          this.#posters.get(comment.id) === ask.sent.run &&
          nth < this.#lastLookOf(ask.sent),
      );
      if (isKnownDeleted) problems.push(`${prompt} was sent after its claim had been deleted`);
      return problems;
    });
  }

  /** A request may be sent again if its job came to nothing, with another key, or if its comment was deleted. */
  #maySendAgain(earlier: Ask, later: Ask, deletions: readonly Deletion[]): boolean {
    if (cameToNothing(earlier, later.at)) return true;
    const [first, second] = [earlier.sent, later.sent];
    if (first === undefined || second === undefined) return false;
    if (first.key !== second.key) return true;
    return deletions.some(({ nth }) => {
      const isBetween = first.nth < nth && nth < second.nth;
      // A run that had already looked couldn't know.
      const isUnseen = [first, second].some(
        (sent) => this.#lastLookOf(sent) < nth && nth < sent.nth,
      );
      return isBetween || isUnseen;
    });
  }

  /** When a run looked at comments for the last time before it sent the prompt. */
  #lastLookOf({ run, nth }: Sent): number {
    return this.#looks.findLast((look) => look.run === run && look.nth < nth)?.nth ?? 0;
  }
}

/** Whether the job that got a prompt had no result at some moment until then. */
function cameToNothing({ job, at }: Ask, untilMs: number): boolean {
  const moments = [untilMs, ...job.rounds.map((round) => round.at - 1)];
  return moments.some((ms) => ms >= at && ms <= untilMs && hasNoResult(job.statusAt(ms)));
}

function statusOf({ job }: Ask, later: Ask): string {
  return job.statusAt(later.at);
}

/** Whether a job's status allows the same request to be sent again. */
export function hasNoResult(status: string | undefined): boolean {
  return status === 'failed' || status === 'archived';
}
