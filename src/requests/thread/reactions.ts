import type { GitHub } from '../../github/client.ts';
import type { Reaction } from '../../github/comments.ts';
import type { Card } from '../card/card.ts';

type News = Reaction | undefined;

/**
 * The API calls that add a reaction to the request's comment, and that remove the reaction `before`
 * if it is no longer true.
 */
export function reactionsTo(card: Card, news: News, before: News, github: GitHub) {
  const { source, login } = card;
  // GitHub doesn't support reactions to reviews.
  if (source === undefined || source.kind === 'review' || news === undefined) return [];
  const react = () => github.react(source, news);
  const isGood = news === 'rocket' || news === '+1';
  // An earlier run may have left a reaction that is no longer true.
  const isFirst = card.attempt === 1 && card.generation <= 1;
  const isOutdated = isGood && (!isFirst || before === 'confused');
  if (!isOutdated || login === undefined) return [react];
  return [react, () => github.unreact(source, 'confused', login)];
}
