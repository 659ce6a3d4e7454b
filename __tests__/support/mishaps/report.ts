import { reportJudge } from '../oracle/report.ts';
import { endOf, type Played } from '../played.ts';
import { routes } from '../routes.ts';
import { stageReport } from '../scenarios/report.ts';
import type { Fault } from './kinds.ts';
import type { Case, Subject } from './matrix.ts';

/** The longest time a report may take: nine minutes of waiting for GitHub, and one minute per request. */
const maxMs = (3 * 3 + 8) * 60_000;

/** The first pages of the current window and of the previous one, which are requested first. Each window has three pages. */
const [firstOfWindow, firstOfBefore] = [1, 2];

/** The visitors report with files, and with earlier windows in its history. */
export const reportSubject: Subject = {
  name: 'report',
  stage: async (player) => {
    const run = stageReport(player);
    const judge = await reportJudge(player);
    return {
      run,
      end: 'reported (complete)',
      maxMs,
      judge: ({ played }, trouble) => [...judge.run(played), ...wrongEnd(played, trouble)],
      judgeNext: (next, trouble) => {
        const problems = judge.next(next);
        // A run that is killed at a request hasn't saved the history yet, so the next one requests all six pages again.
        const isAsked = trouble.mishap.kind !== 'kill' || judge.asked() === 6;
        return isAsked ? problems : [...problems, `asked for ${judge.asked()} pages`];
      },
    };
  },
};

/** Everything that is wrong at the end of a run and isn't explained by the fault. */
function wrongEnd(main: Played, trouble: Case): string[] {
  const { outputs, summary } = main;
  const end = endOf(main);
  const expected = expectedEnds(trouble);
  const reasons = trouble.mishap.kind === 'fault' ? reasonsOf(trouble.mishap.fault) : [];
  const isTold =
    end !== 'reported (incomplete)' || reasons.some((reason) => summary.includes(causes[reason]));
  // The first page of the previous window includes that window's totals.
  const isBeforeKnown = trouble.at === routes.readVisitors && trouble.nth > firstOfBefore;
  const isForgotten =
    outputs.outcome === 'reported' && isBeforeKnown && outputs['change-percent'] === '';
  return [
    ...(expected?.includes(end) === false ? [`not ${expected.join(' or ')}`] : []),
    ...(isTold ? [] : [`the summary does not say ${reasons.join(' or ')}`]),
    ...(isForgotten ? ['forgot the totals of the window before'] : []),
    ...(trouble.mishap.kind === 'kill' && summary !== '' ? [`post said ${summary}`] : []),
  ];
}

/**
 * The ends that a fault may lead to; `undefined` for any. The report doesn't need GitHub. Without the first page of the
 * current window, there is no report. If any other page is missing, the report is incomplete.
 */
function expectedEnds({ mishap, at, nth }: Case): string[] | undefined {
  if (mishap.kind === 'kill') return ['failed (interrupted)'];
  if (mishap.kind !== 'fault') return undefined;
  const { spec, costs } = mishap.fault;
  const isPassing = mishap.isLasting !== true && spec.kind !== 'redirect' && costs !== 'refused';
  if (at === routes.readRun || spec.kind === 'wrong-content-type' || isPassing)
    return ['reported (complete)'];
  if (nth === firstOfWindow) return reasonsOf(mishap.fault).map((reason) => `failed (${reason})`);
  return ['reported (incomplete)'];
}

/** What the report says about each reason. */
const causes = {
  'rate-limited': 'The service’s hourly limit has been reached. Try again',
  'service-error': 'The service is having problems. Try again later.',
  'invalid-response':
    'The service’s response doesn’t match its documentation. Check that `base-url`',
  unreachable: 'The service’s response was incomplete. Check `base-url`,',
  timeout: 'The service didn’t respond in time. Check `base-url`,',
  redirected: 'The service redirects to `',
} as const;

/** The reason codes that a fault may lead to. In memory, a request that hangs never reaches its timeout. */
function reasonsOf({ spec }: Fault): (keyof typeof causes)[] {
  switch (spec.kind) {
    case 'status':
      return [spec.status === 429 ? 'rate-limited' : 'service-error'];
    case 'html':
      return [spec.status === undefined ? 'invalid-response' : 'service-error'];
    case 'reset':
      return ['unreachable'];
    case 'hang':
    case 'drip':
      return ['unreachable', 'timeout'];
    case 'oversized-json':
      return ['unreachable', 'invalid-response'];
    case 'redirect':
      return ['redirected'];
    default:
      return ['invalid-response'];
  }
}
