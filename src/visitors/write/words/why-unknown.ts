import { pluralize } from '../../../text/counts.ts';
import type { WhyUnchecked } from '../../judge/alerts/alerts.ts';
import type { NoRange } from '../../judge/usual-totals.ts';
import { minWeeks } from '../../read/window-read.ts';

/* Why something is unknown, as the end of a sentence. */

const notCompared = '`compare: none` leaves out earlier periods';

/** Why a site's total has no usual range. */
export function describeNoRange({ cause, noun, usable, unread }: NoRange): string {
  const takes = `it takes ${minWeeks} earlier ${noun}s`;
  switch (cause) {
    case 'low-baseline':
      return `${takes}, and \`baseline\` is lower`;
    case 'unread': {
      const verb = unread === 1 ? 'wasn’t' : 'weren’t';
      return `${pluralize(unread, `earlier ${noun}`)} ${verb} read`;
    }
    case 'recount':
      return `${takes} since July 31, 2026, when the service began to count AI differently`;
    case 'few-weeks': {
      const limit = unread > 0 ? 'at most ' : '';
      return `${takes} with visitors; this site has ${limit}${usable + unread}`;
    }
  }
}

/** Why an alert rule wasn't checked. */
export function describeUnchecked(why: WhyUnchecked): string {
  switch (why.cause) {
    case 'unread-project':
      return 'the project could not be read';
    case 'unread-figure':
      return `it could not be read for ${why.period}`;
    case 'no-visitors':
      return 'there were no visitors';
    case 'contradiction':
      return 'the service counted more AI visitors than visitors in total';
    case 'none-before':
      return `there were none in ${why.period}`;
    case 'not-compared':
      return notCompared;
    case 'no-range':
      return `there is no usual range: ${describeNoFigureRange(why.reason)}`;
  }
}

function describeNoFigureRange(reason: NoRange | 'not-compared' | 'too-few'): string {
  if (reason === 'not-compared') return notCompared;
  if (reason === 'too-few') return 'too few earlier periods have this figure';
  return describeNoRange(reason);
}
