import type { ModeResult } from '../lib/outcome.ts';
import { type Ending, pullRequestOf } from './outcome.ts';
import type { Session } from './session.ts';
import { wordsFor } from './words.ts';

const title = 'Docs Agent';

/** A run that is not for us: green and silent. */
export function skipped({ reason, text }: { readonly reason: string; readonly text: string }): ModeResult {
  return {
    outcome: 'skipped',
    reason,
    outputs: {},
    result: {},
    summary: undefined,
    message: { level: 'info', text },
    red: false,
  };
}

/** The result of a run that came to an ending of its own; `conclude` adds outputs and summary. */
export function resultOf(ending: Ending, { config, progress }: Session): ModeResult {
  const isError = ending.outcome === 'failed' && ending.reason !== 'job-failed';
  const red = isError || config.failOn.has(ending.outcome);
  const pullRequest = pullRequestOf(progress.job);
  const { headline, next } = wordsFor(ending, progress);
  const link = pullRequest === undefined ? [] : [`Pull request: ${pullRequest.url}`];
  const text =
    ending.outcome === 'pr-created' && link.length > 0
      ? link.join('')
      : [headline, ...next, ...link].join('\n');
  return {
    ...ending,
    outputs: {},
    result: {},
    summary: undefined,
    message: { level: levelOf(ending, red), title, text },
    red,
  };
}

function levelOf({ outcome }: Ending, red: boolean): ModeResult['message']['level'] {
  if (red) return 'error';
  switch (outcome) {
    case 'failed':
    case 'archived':
    case 'timed-out':
      return 'warning';
    case 'pr-created':
    case 'no-changes':
    case 'detached':
      return 'notice';
    default:
      return 'info';
  }
}
