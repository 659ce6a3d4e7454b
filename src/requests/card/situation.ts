import type { AgentReason, JobReason } from '../../core/reasons.ts';
import type { Reaction } from '../../github/client.ts';
import { type Card, type Ending, type How, hasCommands, howEnded, isFollowUp, jobOf } from './card.ts';
import { checksOf, endOf, pullOf, pullRequestOf } from './job.ts';

/* Every card is in exactly one situation. The compiler asks for an entry for each in `words.ts`. */

type Level = 'info' | 'notice' | 'warning';

/** How each situation is marked: the sign in front of its words, the reaction to the request, and the level of the log line. */
const marks = {
  asking: ['⏳', undefined, 'warning'],
  working: ['⏳', undefined, 'warning'],
  ready: ['✅', 'rocket', 'notice'],
  updated: ['✅', 'rocket', 'notice'],
  'follow-up done': ['✅', 'rocket', 'notice'],
  added: ['✅', 'rocket', 'notice'],
  'nothing added': ['☑️', '+1', 'notice'],
  merged: ['🎉', 'rocket', 'notice'],
  published: ['🎉', 'rocket', 'notice'],
  'not-published': ['⚠️', 'rocket', 'warning'],
  closed: ['☑️', 'rocket', 'notice'],
  'no pull request': ['☑️', '+1', 'notice'],
  'job failed': ['❌', 'confused', 'warning'],
  'job archived': ['⚠️', 'confused', 'warning'],
  'follow-up unseen': ['⚠️', 'confused', 'warning'],
  gone: ['⚠️', 'confused', 'warning'],
  lost: ['⚠️', 'confused', 'warning'],
  canceled: ['⏳', undefined, 'notice'],
  'not waited': ['⏳', undefined, 'notice'],
  // No later run will report the result.
  'not reported': ['⏳', undefined, 'warning'],
  'still running': ['⏳', 'confused', 'warning'],
  'never seen': ['⚠️', 'confused', 'warning'],
  'given up': ['⚠️', 'confused', 'warning'],
  unconfirmed: ['⚠️', 'confused', 'warning'],
  'key changed': ['⚠️', 'confused', 'warning'],
  'newer version': ['⚠️', 'confused', 'warning'],
  'stopped early': ['⚠️', 'confused', 'warning'],
  'rate limited': ['⚠️', 'confused', 'warning'],
  capped: ['⚠️', 'confused', 'warning'],
  'bad input': ['❌', 'confused', 'warning'],
  unread: ['❌', 'confused', 'warning'],
  'not sent': ['❌', 'confused', 'warning'],
  skipped: ['☑️', undefined, 'info'],
  // An answer begins with its own sign.
  answered: ['', '+1', 'info'],
  denied: ['', undefined, 'notice'],
} as const satisfies Readonly<Record<string, readonly [string, Reaction | undefined, Level]>>;

/** What users need to know about a request. */
export type Situation = keyof typeof marks;

const endings = {
  pr: { outcome: 'pr-created', reason: 'pull-request' },
  none: { outcome: 'no-changes', reason: 'no-pull-request' },
  archived: { outcome: 'archived', reason: 'job-archived' },
  failed: { outcome: 'failed', reason: 'job-failed' },
  gone: { outcome: 'failed', reason: 'not-found' },
  unconfirmed: { outcome: 'failed', reason: 'unconfirmed' },
  answered: { outcome: 'answered', reason: 'help' },
  denied: { outcome: 'denied', reason: 'permission' },
} as const satisfies Record<Exclude<How, 'unseen'>, Ending>;

/** How the run ended, if it has. A failed or archived job may show a pull request, but an earlier request created that one. */
export function endingOf({ stop, state }: Pick<Card, 'stop' | 'state'>): Ending | undefined {
  if (stop !== undefined || state.is !== 'ended') return stop;
  const { how, job } = state;
  const ending = endings[how === 'unseen' ? (job === undefined ? 'failed' : endOf(job)) : how];
  if (how === 'unseen' && ending.outcome !== 'failed') return { ...ending, reason: 'follow-up-unseen' };
  const isUnusable = ending.outcome === 'pr-created' && pullRequestOf(job) === undefined;
  return isUnusable ? { ...ending, reason: 'unusable-pr-link' } : ending;
}

/** The situation of a card. */
export function situationOf(card: Card): Situation {
  const ending = endingOf(card);
  if (ending === undefined) return card.state.is === 'working' ? 'working' : 'asking';
  const { outcome, reason } = ending;
  if (card.answer !== undefined) return outcome === 'denied' ? 'denied' : 'answered';
  const pull = outcome === 'pr-created' ? pullOf(card)?.state : undefined;
  const checks = pull === 'merged' ? checksOf(card)?.is : undefined;
  if (checks === 'published' || checks === 'not-published') return checks;
  if (pull === 'merged' || pull === 'closed') return pull;
  const how = howEnded(card);
  if (how === 'unseen') return 'follow-up unseen';
  if (outcome === 'detached' && reason !== 'not-waited') return 'canceled';
  const isUnknown = card.state.is === 'sent' || how === 'unconfirmed';
  if (isUnknown && reason !== 'key-changed') return 'unconfirmed';
  if (outcome === 'failed' && reason !== 'job-failed' && jobOf(card) !== undefined)
    return how === 'gone' ? 'gone' : 'lost';
  const situation = byReason[reason] ?? (outcome === 'failed' ? 'not sent' : 'skipped');
  if (situation === 'ready' && isFollowUp(card)) return afterFollowUp(card);
  if (situation === 'not waited' && card.thread === undefined) return 'not reported';
  const isUnsent = situation === 'not sent' || situation === 'rate limited';
  return isUnsent && card.prompt === undefined ? 'unread' : situation;
}

function afterFollowUp(card: Card): Situation {
  const isUpdated = pullOf(card)?.isUpdated;
  if (hasCommands(card)) return isUpdated ? 'updated' : 'follow-up done';
  if (card.series === undefined) return 'ready';
  return isUpdated ? 'added' : isUpdated === false ? 'nothing added' : 'follow-up done';
}

/** The reasons that users should tell apart. Other errors, and a newer version's reasons, only mean that nothing was sent. */
type SpecialReason = JobReason | 'newer-version' | 'rate-limited' | 'bad-input' | 'cancelled';

const byReason: Readonly<Record<SpecialReason, Situation>> & Partial<Record<AgentReason, Situation>> = {
  'pull-request': 'ready',
  'unusable-pr-link': 'ready',
  'no-pull-request': 'no pull request',
  'job-archived': 'job archived',
  'job-failed': 'job failed',
  'follow-up-unseen': 'follow-up unseen',
  deadline: 'still running',
  'never-seen': 'never seen',
  'given-up': 'given up',
  'not-waited': 'not waited',
  interrupted: 'stopped early',
  cancelled: 'stopped early',
  'key-changed': 'key changed',
  help: 'answered',
  status: 'answered',
  'dry-run': 'answered',
  permission: 'denied',
  'permission-unknown': 'denied',
  'newer-version': 'newer version',
  'rate-limited': 'rate limited',
  'max-jobs': 'capped',
  'bad-input': 'bad input',
};

/** The marks of a card's situation. */
export function marksOf(card: Card) {
  const [sign, reaction, level] = marks[situationOf(card)];
  return { sign, reaction, level };
}
