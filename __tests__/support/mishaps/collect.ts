import type { SimulatorCore } from '../../../simulator/core.ts';
import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { textOf } from '../oracle/agent.ts';
import { endOf } from '../played.ts';
import { routes } from '../routes.ts';
import { collect, collecting, leaveOpen, runCommand } from '../scenarios/left-open.ts';
import type { Case, Subject } from './matrix.ts';

const complete = 'collected (complete)';
const ends: ReadonlySet<string> = new Set(['collected (incomplete)', 'failed (github-error)']);

/** Collect mode with four threads: a job with a pull request, a failed job, a lost claim, and an outdated claim. */
export const collectSubject: Subject = {
  name: 'collect',
  stage: async ({ core }) => {
    const { before, unread, after } = await undisturbed();
    const texts = await stage(core);
    const strange = (...expected: (readonly string[])[]) =>
      texts().flatMap((text, index) =>
        expected.some((known) => known[index] === text) ? [] : [`a comment says ${text}`],
      );
    return {
      run: collecting(core),
      end: complete,
      maxMs: 45 * 60_000,
      judge: ({ played }, trouble) => [
        ...strange(before, unread, after),
        ...(isExpected(endOf(played), trouble) ? [] : [`ends as ${endOf(played)}`]),
        ...(core.service.jobs.length === 4 ? [] : ['asked the agent']),
      ],
      // The second collect run finishes what the first one left open.
      judgeNext: (next) => [
        ...strange(after),
        ...(endOf(next) === complete ? [] : [`ends as ${endOf(next)}`]),
      ],
    };
  },
};

/** Sets up the threads. The returned function lists the visible text of every comment, or says that it was deleted. */
async function stage(core: SimulatorCore): Promise<() => string[]> {
  await leaveOpen(core, { thread: 1 });
  await leaveOpen(core, { thread: 2, script: { end: 'failed' } });
  await leaveOpen(core, { thread: 3, killAt: { at: routes.createJob, phase: 'handled' } });
  const { command } = await leaveOpen(core, { thread: 4, script: { end: 'failed', activeMs: 0 } });
  await runCommand(core, command, {
    attempt: 2,
    killAt: { at: routes.deleteComment, phase: 'arrived' },
  });
  core.clock.advance(2 * 3_600_000);
  const comments = core.github.comments.filter(({ login }) => login === BOT_LOGIN);
  return () => comments.map((comment) => (comment.deleted ? 'deleted' : textOf(comment)));
}

/** The comment texts before and after an undisturbed run, and after one that can't read the pull request. Computed only once. */
let known: Promise<Record<'before' | 'unread' | 'after', readonly string[]>> | undefined;
function undisturbed() {
  const play = async () => {
    const [core, other] = [createInMemorySimulator(), createInMemorySimulator()];
    const [texts, otherTexts] = [await stage(core), await stage(other)];
    const before = texts();
    other.faults.refuse(routes.readPullRequest, 400);
    await collect(core);
    await collect(other);
    return { before, unread: otherTexts(), after: texts() };
  };
  known ??= play();
  return known;
}

/** Whether a run may end this way. A run must recover from every fault except redirects and hour-long refusals. */
function isExpected(end: string, { mishap }: Case): boolean {
  if (mishap.kind !== 'fault')
    return mishap.kind === 'kill' || end === complete || end === 'failed (cancelled)';
  const { costs, spec } = mishap.fault;
  const isBorne = mishap.isLasting !== true && costs !== 'refused' && spec.kind !== 'redirect';
  return end === complete || (!isBorne && ends.has(end));
}
