import type { SimClock } from '../clock/clock.ts';

/** How a job behaves after a prompt or a message. */
export interface JobScript {
  readonly activeMs: number;
  /** The final status: `completed`, `failed`, `archived`, or any other text; `never` if the job doesn't end. */
  readonly end: string;
  /** `auto` gives a completed job a GitHub link. `null` means that no files changed. Any other text is sent unchanged. */
  readonly prLink: string | null;
  /** The delay until a completed job shows its link. */
  readonly prLinkDelayMs: number;
  /** How long the job shows its old status after a message. */
  readonly staleMs: number;
  readonly activeStatus: string;
  readonly omit: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}

export const USUAL_JOB: JobScript = {
  activeMs: 60_000,
  end: 'completed',
  prLink: 'auto',
  prLinkDelayMs: 0,
  staleMs: 0,
  activeStatus: 'active',
  omit: [],
  extra: {},
};

/** A prompt or message, and how the job behaves after it. */
interface Round {
  readonly prompt: string;
  readonly at: number;
  script: JobScript;
}

/** An agent job. Its state is computed from its script and the time. */
export class Job {
  readonly id: string;
  readonly projectId: string;
  readonly rounds: [Round, ...Round[]];
  readonly createdAt: number;
  readonly #clock: SimClock;
  readonly #repositoryUrl: string;
  readonly #autoLink: string;

  constructor(
    clock: SimClock,
    number: number,
    projectId: string,
    prompt: string,
    script: JobScript,
    repositoryUrl: string,
  ) {
    this.#repositoryUrl = repositoryUrl;
    this.#clock = clock;
    this.id = `job_${String(number).padStart(4, '0')}`;
    this.projectId = projectId;
    this.createdAt = clock.now();
    this.rounds = [{ prompt, at: this.createdAt, script }];
    this.#autoLink = `${repositoryUrl}/pull/${100 + number}`;
  }

  get prompts(): readonly string[] {
    return this.rounds.map(({ prompt }) => prompt);
  }

  get status(): string {
    return this.#state().status;
  }

  /** The status at any time, given the prompts and messages so far. */
  statusAt(ms: number): string {
    return this.#state(ms).status;
  }

  get prLink(): string | null {
    return this.#state().prLink;
  }

  /** The job's last round: a prompt or message. Replace the round's script to change how the job behaves. */
  get current(): Round {
    return this.rounds.at(-1) ?? this.rounds[0];
  }

  addRound(prompt: string, script: JobScript): void {
    this.rounds.push({ prompt, at: this.#clock.now(), script });
  }

  /** Ends the job now, regardless of its script. */
  end(status: string, prLink?: string | null): void {
    const round = this.current;
    const activeMs = Math.max(0, this.#clock.now() - round.at);
    // An archived job keeps its link.
    const link = prLink === undefined ? (this.prLink ?? round.script.prLink) : prLink;
    round.script = {
      ...round.script,
      staleMs: 0,
      activeMs,
      end: status,
      prLink: link,
      prLinkDelayMs: 0,
    };
  }

  view(): Record<string, unknown> {
    const { script } = this.current;
    const { status, prLink, since } = this.#state();
    const view: Record<string, unknown> = {
      id: this.id,
      status,
      source: { repository: this.#repositoryUrl, ref: 'main' },
      model: 'sim-writer-1',
      prLink,
      createdAt: new Date(this.createdAt).toISOString(),
      archivedAt: status === 'archived' ? new Date(since).toISOString() : null,
      ...script.extra,
    };
    for (const field of script.omit) delete view[field];
    return view;
  }

  /** The job's state, assuming that the round with this index is the last. */
  #state(
    now = this.#clock.now(),
    index = this.rounds.length - 1,
  ): { status: string; prLink: string | null; since: number } {
    const { at, script } = this.rounds[index] ?? this.rounds[0];
    const beginsAt = index === 0 ? at : at + script.staleMs;
    if (index > 0 && now < beginsAt) return this.#state(now, index - 1);
    const endsAt = beginsAt + script.activeMs;
    if (script.end === 'never' || now < endsAt)
      return { status: script.activeStatus, prLink: null, since: beginsAt };
    const autoLink = script.end === 'completed' ? this.#autoLink : null;
    const link = script.prLink === 'auto' ? autoLink : script.prLink;
    return {
      status: script.end,
      prLink: now < endsAt + script.prLinkDelayMs ? null : link,
      since: endsAt,
    };
  }
}
