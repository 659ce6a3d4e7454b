import type { GitHub, Reaction } from '../../github/client.ts';
import type { Card } from '../card/card.ts';
import { type Situation, situationOf } from '../card/situation.ts';

const verdicts: Readonly<Record<Situation, Reaction | undefined>> = {
  asking: undefined,
  working: undefined,
  ready: 'rocket',
  updated: 'rocket',
  'follow-up done': 'rocket',
  added: 'rocket',
  merged: 'rocket',
  closed: 'rocket',
  'no pull request': '+1',
  'job failed': 'confused',
  'job archived': 'confused',
  'follow-up unseen': 'confused',
  lost: 'confused',
  canceled: undefined,
  'not waited': undefined,
  'not reported': undefined,
  'still running': 'confused',
  'never seen': 'confused',
  'given up': 'confused',
  unconfirmed: 'confused',
  'key changed': 'confused',
  'newer version': 'confused',
  'stopped early': 'confused',
  'rate limited': 'confused',
  'bad input': 'confused',
  unread: 'confused',
  'not sent': 'confused',
  skipped: undefined,
  answered: '+1',
  denied: undefined,
};

/** The reaction that shows how the request ended. */
export function verdictOn(card: Card): Reaction | undefined {
  return verdicts[situationOf(card)];
}

/** The API calls that add a reaction to the request's comment and remove the outdated reaction `before`. */
export function reactionsTo(
  { source, login, attempt }: Card,
  reaction: Reaction | undefined,
  before: Reaction | undefined,
  github: GitHub,
  within: AbortSignal,
): (() => Promise<void>)[] {
  // GitHub doesn't support reactions to reviews.
  if (source === undefined || source.kind === 'review' || reaction === undefined) return [];
  const react = () => github.react(source, reaction, within);
  const isGood = reaction === 'rocket' || reaction === '+1';
  // An earlier attempt may have left a reaction that is no longer true.
  const isOutdated = isGood && (attempt > 1 || before === 'confused');
  if (!isOutdated || login === undefined) return [react];
  return [react, () => github.unreact(source, 'confused', login, within)];
}
