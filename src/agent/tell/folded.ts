import type { RunContext } from '../../runner/context.ts';
import { fenced, shortCode } from '../../text/markdown.ts';
import { jobIdOf, jobOf, type Known, shownPrompt } from '../known.ts';

/* What a status comment folds away, and a summary shows below. */

/** What is known of the run, as pairs of a name and Markdown. */
export function facts(known: Known, context: RunContext): [string, string][] {
  const { asker } = known;
  const job = jobOf(known);
  const jobId = jobIdOf(known);
  const source = [job?.source?.repository, job?.source?.ref]
    .filter((part) => part != null && part !== '')
    .join('@');
  const rows: [string, string | undefined][] = [
    ['Asked by', asker === undefined ? undefined : shortCode(asker)],
    ['Job', jobId === undefined ? undefined : shortCode(jobId)],
    ['Model', job?.model == null ? undefined : shortCode(job.model)],
    ['Source', source === '' ? undefined : shortCode(source)],
    ['Run', context.runId === '' ? undefined : `[${context.runId}](<${context.runUrl}>)`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
}

/** What else there is to say of the run, as Markdown. */
export function remarks({ removed, notes }: Known): string[] {
  if (removed === 0) return notes;
  const were = removed === 1 ? 'character was' : 'characters were';
  return [...notes, `${removed} invisible ${were} removed from the prompt.`];
}

/** The prompt as it was sent, as a block that can do nothing. */
export function promptBlock({ prompt }: Known): string[] {
  return prompt === undefined ? [] : [fenced(shownPrompt(prompt))];
}
