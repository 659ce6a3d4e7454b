import type { SimClock } from '../clock/clock.ts';

/** How a job goes, from the prompt (or the message) on. All times pass on the simulator's clock. */
export interface JobScript {
  /** How long the agent works. */
  readonly activeMs: number;
  /** `completed`, `failed`, `archived`, `never`, or a status nobody documented. */
  readonly end: string;
  /** `auto` gives a completed job a link like GitHub's; `null` stands for "no files were changed"; anything else is sent as it is. */
  readonly prLink: string | null;
  /** How long `completed` stands there with a null link before the link appears. */
  readonly prLinkDelayMs: number;
  /** After a message: how long the status of before is still shown. */
  readonly staleMs: number;
  /** What is shown while the agent works. */
  readonly activeStatus: string;
  readonly source: { readonly repository: string; readonly ref: string | null };
  readonly model: string;
  /** How a job that is not archived shows `archivedAt`. */
  readonly archivedAt: 'null' | 'omit';
  /** Fields left out of every response. */
  readonly omit: readonly string[];
  /** Fields put into every response, over the true ones. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export const USUAL_JOB: JobScript = {
  activeMs: 60_000,
  end: 'completed',
  prLink: 'auto',
  prLinkDelayMs: 0,
  staleMs: 0,
  activeStatus: 'active',
  source: { repository: 'octo-org/docs', ref: 'main' },
  model: 'sim-writer-1',
  archivedAt: 'null',
  omit: [],
  extra: {},
};

/** A prompt or message, and how the job goes after it. */
export interface Round {
  readonly prompt: string;
  readonly at: number;
  script: JobScript;
}

interface State {
  readonly status: string;
  readonly prLink: string | null;
}

/** One agent job; its state follows from its script and the clock, so nothing has to tick. */
export class Job {
  readonly id: string;
  readonly projectId: string;
  readonly rounds: [Round, ...Round[]];
  readonly createdAt: number;
  archivedAt: number | null = null;
  readonly #clock: SimClock;
  readonly #autoLink: string;

  constructor(clock: SimClock, number: number, projectId: string, prompt: string, script: JobScript) {
    this.#clock = clock;
    this.id = `job_${String(number).padStart(4, '0')}`;
    this.projectId = projectId;
    this.createdAt = clock.now();
    this.rounds = [{ prompt, at: this.createdAt, script }];
    this.#autoLink = `https://github.com/${script.source.repository}/pull/${100 + number}`;
  }

  /** The prompt and the messages, in the order they came. */
  get prompts(): readonly string[] {
    return this.rounds.map(({ prompt }) => prompt);
  }

  get status(): string {
    return this.statusAt(this.#clock.now());
  }

  /** The status the job had, or will have, at a time by the simulator's clock, with the rounds there are now. */
  statusAt(ms: number): string {
    return this.#state(this.rounds.length - 1, ms).status;
  }

  get prLink(): string | null {
    return this.#state(this.rounds.length - 1).prLink;
  }

  /** The round that came last: change its script to change the job's course. */
  get current(): Round {
    return this.rounds.at(-1) ?? this.rounds[0];
  }

  addRound(prompt: string, script: JobScript): void {
    this.rounds.push({ prompt, at: this.#clock.now(), script });
  }

  /** Ends the job now, however it was scripted. */
  end(status: string, prLink?: string | null): void {
    const round = this.current;
    const activeMs = Math.max(0, this.#clock.now() - round.at);
    // A link that is there already outlives an archiving.
    const link = prLink === undefined ? (this.prLink ?? round.script.prLink) : prLink;
    round.script = { ...round.script, staleMs: 0, activeMs, end: status, prLink: link, prLinkDelayMs: 0 };
    if (status === 'archived') this.archivedAt = this.#clock.now();
  }

  /** The job as the API shows it. */
  view(): Record<string, unknown> {
    const { script } = this.current;
    const { status, prLink } = this.#state(this.rounds.length - 1);
    const archivedAt =
      status === 'archived' ? new Date(this.archivedAt ?? this.#clock.now()).toISOString() : null;
    const view: Record<string, unknown> = {
      id: this.id,
      status,
      source: script.source,
      model: script.model,
      prLink,
      createdAt: new Date(this.createdAt).toISOString(),
      ...(archivedAt === null && script.archivedAt === 'omit' ? {} : { archivedAt }),
      ...script.extra,
    };
    for (const field of script.omit) delete view[field];
    return view;
  }

  #state(index: number, now = this.#clock.now()): State {
    const round = this.rounds[index] ?? this.rounds[0];
    const { script } = round;
    const elapsedMs = now - round.at;
    if (index > 0 && elapsedMs < script.staleMs) return this.#state(index - 1, now);
    const workedMs = elapsedMs - (index > 0 ? script.staleMs : 0);
    if (script.end === 'never' || workedMs < script.activeMs)
      return { status: script.activeStatus, prLink: null };
    const linkIsLate = workedMs < script.activeMs + script.prLinkDelayMs;
    const autoLink = script.end === 'completed' ? this.#autoLink : null;
    const link = script.prLink === 'auto' ? autoLink : script.prLink;
    return { status: script.end, prLink: linkIsLate ? null : link };
  }
}
