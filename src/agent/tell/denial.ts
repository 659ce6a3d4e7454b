import type { Refusal } from '../request/gate.ts';
import type { Source } from '../request/trigger.ts';
import type { Session } from '../session.ts';
import { bestEffort } from '../thread/best-effort.ts';
import { writtenBy } from '../thread/marker-facts.ts';
import { type Remembered, statusCommentOf, wasDenied } from '../thread/memory.ts';
import type { Ending } from './ending.ts';
import { react } from './react.ts';
import { deniedComment } from './render.ts';
import { lineOf } from './words.ts';

/** How much of a thread is read to see whether somebody was told before. */
const mostPages = 4;

/** Tells somebody who gave a command why they may not, once in a thread. */
export async function deny(
  refusal: Refusal,
  { author: { login }, isCommand }: Source,
  session: Session,
): Promise<Ending> {
  const { config, deps, learn, thread } = session;
  const ending: Ending = { outcome: 'denied', reason: refusal.reason };
  const text = lineOf(refusal);
  deps.runner.notice(text);
  learn({ answer: text });
  // Whoever gave no command has not spoken to us.
  if (config.dryRun || !isCommand) return ending;
  await react('confused', session, deps.signal);
  await bestEffort('Telling the commenter', session, async () => {
    const { key } = session.known;
    let pages = 0;
    // Turning a stranger away stays cheap however long the thread is, at the price of a second reply in a long one.
    const isEnough = (seen: readonly Remembered[]) => {
      pages += 1;
      return pages === mostPages || wasDenied(seen, login);
    };
    const remembered = await thread?.read(isEnough, deps.signal);
    if (thread === undefined || remembered === undefined) return;
    // What an earlier attempt told of this trigger stays: this one knows nothing more of it.
    if (statusCommentOf(remembered, key) !== undefined || wasDenied(remembered, login)) return;
    thread.adopt(undefined);
    const facts = { ...writtenBy(session.known, deps.context), phase: 'denied' as const, denied: login };
    await thread.show(facts, deniedComment(refusal), deps.signal);
  });
  return ending;
}
