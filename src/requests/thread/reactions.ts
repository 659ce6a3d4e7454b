import type { GitHub, Reaction } from '../../github/client.ts';
import type { Card } from '../card/card.ts';

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
