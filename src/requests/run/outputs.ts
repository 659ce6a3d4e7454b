import type { OutputsOf } from '../../core/mode-result.ts';
import { type Card, jobOf, pullRequestOf } from '../card/card.ts';
import { checksOf } from '../card/pull.ts';

/** The outputs of agent mode that come from the request. */
export function outputsOf(card: Card): OutputsOf<'agent'> {
  const job = jobOf(card);
  const pullRequest = pullRequestOf(job);
  return {
    'job-id': job?.id ?? '',
    'job-status': job?.status ?? '',
    'pr-link': pullRequest?.url ?? '',
    'pr-number': pullRequest?.number ?? '',
    'comment-url': card.comment?.url ?? '',
    checks: checksOf(card)?.is ?? '',
  };
}
