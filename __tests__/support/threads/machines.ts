import type { Comment } from '../../../simulator/github/types.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { nameOf, senderOf } from '../in-process/life.ts';
import type { MemoryRun } from '../in-process/play.ts';
import type { MemoryPlayer } from '../in-process/player.ts';
import { playWith, type RunEnd } from '../mishaps/mishap.ts';
import type { Played, Run } from '../played.ts';
import type { Luck, Mishap, Sleep, Touched } from './happenings.ts';
import { type How, touch } from './people.ts';
import { Witness } from './witness.ts';

const oversizedBytes = 16 * 1024;
const givenUpMs = 9 * 60_000;

/** What a run is about, and who hears of its end if its machine was suspended. */
interface About {
  /** The newest status comment that people can touch. */
  readonly newest?: () => Comment | undefined;
  readonly judgeLate: (end: RunEnd) => void;
}

interface Sleeper {
  readonly run: string;
  readonly beganMs: number;
  readonly wakesAtMs: number;
  readonly judged: Promise<void>;
}

/** Plays runs on machines that may be suspended, and whose clocks may be wrong, while people touch comments. */
export class Machines {
  readonly witness: Witness;
  /** The greatest difference between two clocks so far. */
  clockSpreadMs = 0;
  readonly #player: MemoryPlayer;
  readonly #sleepers: Sleeper[] = [];

  constructor(player: MemoryPlayer) {
    this.#player = player;
    this.witness = new Witness(player.core);
  }

  /** Plays a run to which nothing happens. */
  play(run: MemoryRun): Promise<Played> {
    this.witness.expect(run);
    return this.#player.play(run);
  }

  /** Plays a run, until it ends or its machine is suspended. */
  start(run: Run, luck: Luck, { newest, judgeLate }: About): Promise<RunEnd | 'asleep'> {
    const { clock } = this.#player.core;
    this.clockSpreadMs = Math.max(this.clockSpreadMs, 2 * Math.abs(luck.clockAheadMs));
    this.witness.expect(run);
    const endTouch = this.#armTouch(run, luck.touched, newest);
    const asleep = Promise.withResolvers<'asleep'>();
    let behindMs = 0;
    const sleep = async ({ ms, isClockPaused }: Sleep) => {
      const beganMs = clock.now();
      const times = { beganMs, wakesAtMs: beganMs + ms };
      this.#sleepers.push({ run: nameOf(run), ...times, judged: end.then(judgeLate) });
      asleep.resolve('asleep');
      await clock.reaches(beganMs + ms);
      if (isClockPaused) behindMs = clock.now() - beganMs;
    };
    const aheadMs = () => luck.clockAheadMs - behindMs;
    const end = this.#withMishap({ ...run, aheadMs }, luck.mishap, sleep).finally(endTouch);
    return Promise.race([end, asleep.promise]);
  }

  /** Lets time pass. Machines wake up at their time, and their runs end. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.#player.core;
    const untilMs = clock.now() + ms;
    for (;;) {
      const [next] = this.#sleepers
        .filter(({ wakesAtMs }) => wakesAtMs <= Math.max(untilMs, clock.now()))
        .sort((one, other) => one.wakesAtMs - other.wakesAtMs);
      if (next === undefined) break;
      clock.advance(Math.max(0, next.wakesAtMs - clock.now()));
      await next.judged;
      this.#sleepers.splice(this.#sleepers.indexOf(next), 1);
    }
    clock.advance(Math.max(0, untilMs - clock.now()));
  }

  /** Whether a machine has woken up since then, and its run hasn't been judged yet. */
  hasWoken(sinceMs: number): boolean {
    const nowMs = this.#player.core.clock.now();
    return this.#sleepers.some(({ wakesAtMs }) => wakesAtMs >= sinceMs && wakesAtMs <= nowMs);
  }

  /** Whether a run's machine is suspended. */
  isAsleep(run: string | undefined): boolean {
    const nowMs = this.#player.core.clock.now();
    return this.#sleepers.some((sleeper) => sleeper.run === run && sleeper.wakesAtMs > nowMs);
  }

  /** Whether a run can be run again. GitHub takes some time to give up on a machine that is suspended. */
  canRunAgain(run: Pick<Run, 'runId' | 'attempt'>): boolean {
    const sinceMs = this.#player.core.clock.now() - givenUpMs;
    return !this.#sleepers.some(
      (sleeper) => sleeper.run === nameOf(run) && sleeper.beganMs > sinceMs,
    );
  }

  /** Lets a person touch a comment. */
  touch(comment: Comment, how: How): void {
    if (how === 'deleted') this.witness.noteDeletion(comment);
    touch(this.#player.core, comment, how);
  }

  #withMishap(
    run: MemoryRun,
    mishap: Mishap,
    sleep: (mishap: Sleep) => Promise<void>,
  ): Promise<RunEnd> {
    const nth = mishap.kind === 'none' ? 1 : mishap.n;
    const choice = { at: isFrom(run), nth };
    const playRun = (played: MemoryRun, wrong: Exclude<Mishap, Sleep>) =>
      playWith(this.#player, played, wrong, choice, oversizedBytes);
    if (mishap.kind !== 'sleep') return playRun(run, mishap);
    const suspendAt = { ...choice, phase: mishap.phase, until: () => sleep(mishap) };
    return playRun({ ...run, suspendAt }, { kind: 'none' });
  }

  /** Lets a person touch the newest status comment during a run. */
  #armTouch(run: Run, touched: Touched, newest: About['newest']): () => void {
    if (touched.kind === 'none' || newest === undefined) return () => undefined;
    const { n, phase, how } = touched;
    const isRuns = isFrom(run);
    let nth = 0;
    const at = (request: RecordedRequest) => {
      if (!isRuns(request)) return false;
      nth += 1;
      return nth >= n && newest() !== undefined;
    };
    return this.#player.core.once({ at, phase }, () => {
      const comment = newest();
      if (comment !== undefined) this.touch(comment, how);
    });
  }
}

/** Whether nothing goes wrong in a run. What people add to a comment must not disturb it. */
export function isUntroubled({ mishap, touched }: Luck): boolean {
  const isDeleted = touched.kind === 'touch' && touched.how === 'deleted';
  return mishap.kind === 'none' && !isDeleted;
}

function isFrom(run: Run): (request: RecordedRequest) => boolean {
  const name = nameOf(run);
  return (request) => senderOf(request) === name;
}

/** How long a request waits for others to give up on a run that was lost: more than an hour, or until the machine wakes up. */
export function untilOthersAct({ ms }: Sleep): number {
  return Math.min(ms, 3_700_000) - 1_000;
}
