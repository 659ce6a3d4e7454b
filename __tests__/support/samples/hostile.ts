import fc from 'fast-check';
import type { Asked } from '../../../src/agent/known.ts';
import type { State } from '../../../src/agent/tell/words.ts';
import { ActionError, explain } from '../../../src/core/errors.ts';
import { agentOutcomeNames } from '../../../src/core/reasons.ts';
import { shortCode } from '../../../src/text/markdown.ts';
import { context, knownWith } from './known.ts';

/** What people put where they want to break out: marks of Markdown, references, HTML, and white space. */
const marks = '` ``` ~~~ \\ | > * # --- === ** ~~ $$ [ ] [^1] [^1]:'.split(' ');
const references =
  '@octocat #1 octo-org/docs#1 https://evil.example www.evil.example x@evil.example [x](y) ![x](y) :tada:';
const tags = '<!-- --> <b> </details> <img/src=x> &lt; &#64;octocat';
const spaces = ['\n', '\r', '\r\n', '\n\n', ' ', '\t', '    ', '\u2028', '````\n', '# H', '> '];
const invisible = ['\0', '\u202e', '\u200d', '\u{e0041}', '\ufeff', '\ud83d', 'é', '👩‍💻'];
const own = '<!-- docs-agent:v1 e30.AAAA -->';
const parts = [...marks, ...references.split(' '), ...tags.split(' '), ...spaces, ...invisible, own];

const hostile = fc.oneof(
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => some.join('')),
  },
);
const huge = fc
  .constantFrom('`', '\n', '@octocat ', '\u{e0041}', '\0', '\\', '<b>', '👩')
  .map((unit) => unit.repeat(70_000));
/** Text from outside, some of it very long. */
export const hostileText = fc.oneof({ weight: 9, arbitrary: hostile }, { weight: 1, arbitrary: huge });
const optional = fc.option(hostileText, { nil: undefined });
const prLink = fc.oneof(
  hostileText,
  hostileText.map((tail) => `https://github.com/octo-org/docs/pull/7${tail}`),
  hostileText.map((tail) => `https://x.example/?${tail}`),
  hostileText.map((tail) => `https://x.example/#${tail}`),
);

/** A run in any state, with everything from outside as bad as it can be. */
export const hostileView = fc
  .record({
    outcome: fc.constantFrom(...agentOutcomeNames, 'starting', 'working'),
    reason: fc.constantFrom('pull-request', 'job-failed', 'cancelled', 'unconfirmed', 'not-waited'),
    hasThread: fc.boolean(),
    job: fc.option(
      fc.record({
        id: hostileText,
        status: hostileText,
        prLink: fc.option(prLink),
        model: optional,
        repository: optional,
        ref: optional,
      }),
      { nil: undefined },
    ),
    error: optional,
    prompt: optional,
    asker: optional,
    note: optional,
    removed: fc.nat(),
    tookMs: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ outcome, reason, hasThread, job, error, prompt, asker, note, removed, tookMs }) => {
    const known = knownWith({
      removed,
      prompt,
      asker,
      threadNumber: hasThread ? 7 : undefined,
      notes: note === undefined ? [] : [`A note on ${shortCode(note)}.`],
      asked: job === undefined ? { is: 'no' } : askedFor(job),
    });
    const failure =
      error === undefined ? undefined : explain(new ActionError('internal', 'It broke', { said: error }));
    const state: State = { outcome, reason, error: failure, tookMs };
    return { state, context, known };
  });

interface HostileJob {
  readonly id: string;
  readonly status: string;
  readonly prLink: string | null;
  readonly model: string | undefined;
  readonly repository: string | undefined;
  readonly ref: string | undefined;
}

function askedFor({ repository, ref, ...job }: HostileJob): Asked {
  return { is: 'yes', by: 'creating', jobId: job.id, job: { ...job, source: { repository, ref } } };
}
