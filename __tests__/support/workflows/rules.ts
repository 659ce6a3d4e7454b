import { parse } from 'yaml';
import type { Job, Workflow } from './workflow.ts';

/* What holds of every workflow, ours and those that users copy. */

/** A workflow's file. */
export interface WorkflowFile {
  readonly name: string;
  readonly text: string;
}

const ours = /^docs-agent\/docs-agent(\/\.github\/workflows\/[\w-]+\.yml)?@v1$/;
const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** What is wrong with a workflow by itself. */
export function problemsOf({ name, text }: WorkflowFile): string[] {
  const workflow = parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs);
  return [
    ...(emptyObject(workflow.permissions) ? [] : ['does not start from `permissions: {}`']),
    ...usesOf(text)
      .filter((uses) => uses !== './' && !ours.test(uses) && !pinned.test(uses))
      .map((uses) => `is not pinned to the commit of a release: ${uses}`),
    ...jobs.flatMap(([id, job]) => jobProblems(id, job)),
    ...groupsOf(workflow).flatMap(groupProblems),
  ].map((problem) => `${name}: ${problem}`);
}

/** The workflows that call another and wait in a group of their own: that is the called one's to do. */
export function waitingCallersOf(files: readonly WorkflowFile[]): string[] {
  return files
    .map(({ name, text }) => ({ name, workflow: parse(text) as Workflow }))
    .filter(({ workflow }) => Object.values(workflow.jobs).some(({ uses }) => uses !== undefined))
    .filter(({ workflow }) => groupsOf(workflow).length > 0)
    .map(({ name }) => name);
}

/**
 * The workflows that may wait in the same group as one of the others, whatever their expressions come to. GitHub cancels a
 * caller and a called workflow that do, since one waits for the other.
 */
export function overlapsOf(files: readonly WorkflowFile[], others: readonly WorkflowFile[]): string[] {
  return files.flatMap((one) =>
    others
      .filter(
        (other) =>
          one !== other &&
          groupsIn(one).some((group) => groupsIn(other).some((met) => mayBeginAlike(group, met))),
      )
      .map((other) => `${one.name} and ${other.name}`),
  );
}

/** What stands behind `uses:`, with the comment on its line. */
function usesOf(text: string): string[] {
  return [...text.matchAll(/^[ -]*uses: *(.+?) *$/gm)].map(([, uses = '']) => uses);
}

function jobProblems(id: string, job: Job): string[] {
  const runs = (job.steps ?? []).map(({ run = '' }) => run);
  return [
    ...(job.uses === undefined && job['timeout-minutes'] === undefined ? [`${id} has no time limit`] : []),
    // Even an expression that is harmless today: a step gets values by its `env`.
    ...runs.filter((run) => run.includes('${{')).map(() => `${id} writes an expression into a shell`),
  ];
}

function groupsIn({ text }: WorkflowFile): string[] {
  return groupsOf(parse(text) as Workflow);
}

function groupsOf({ concurrency, jobs }: Workflow): string[] {
  return [concurrency, ...Object.values(jobs).map((job) => job.concurrency)].flatMap((one) =>
    one === undefined ? [] : [one.group],
  );
}

function groupProblems(group: string): string[] {
  return [
    ...(literalOf(group) === '' ? [`the group ${group} has no name of its own`] : []),
    // In a called workflow it is the caller's name.
    ...(group.includes('github.workflow') ? [`the group ${group} depends on who calls`] : []),
  ];
}

/** What a text begins with, whatever its expressions come to. */
function literalOf(text: string): string {
  return text.split('${{')[0] ?? '';
}

/** Whether two texts may be equal, or one be the other's beginning, whatever their expressions come to. */
export function mayBeginAlike(one: string, other: string): boolean {
  const [a, b] = [literalOf(one), literalOf(other)];
  return a.startsWith(b) || b.startsWith(a);
}

function emptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
