import { parse } from 'yaml';
import type { Job, Workflow } from './workflow.ts';

/* The rules for every workflow, ours and those that users copy. */

/** A workflow file. */
export interface WorkflowFile {
  readonly name: string;
  readonly text: string;
  readonly workflow: Workflow;
}

const ours = /^docs-agent\/docs-agent(\/\.github\/workflows\/[\w-]+\.yml)?@v1$/;
const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

export function workflowFile(name: string, text: string): WorkflowFile {
  return { name, text, workflow: parse(text) };
}

/** What is wrong with a single workflow. */
export function problemsOf({ text, workflow }: WorkflowFile): string[] {
  const startsFromNothing = JSON.stringify(workflow.permissions) === '{}';
  return [
    ...(startsFromNothing ? [] : ['does not start from `permissions: {}`']),
    ...usesOf(text)
      .filter((uses) => uses !== './' && !ours.test(uses) && !pinned.test(uses))
      .map((uses) => `is not pinned to the commit of a release: ${uses}`),
    ...Object.entries(workflow.jobs).flatMap(([id, job]) => jobProblems(id, job)),
    ...groupsOf(workflow).flatMap(groupProblems),
  ];
}

/** The workflows that call another one and have a concurrency group, which is the called workflow's job. */
export function waitingCallersOf(files: readonly WorkflowFile[]): string[] {
  return files
    .filter(({ workflow }) => Object.values(workflow.jobs).some(({ uses }) => uses !== undefined))
    .filter(({ workflow }) => groupsOf(workflow).length > 0)
    .map(({ name }) => name);
}

/**
 * The workflows that may wait in the same group as one of the others. If a caller and its called workflow do, GitHub cancels
 * them, because one waits for the other.
 */
export function overlapsOf(files: readonly WorkflowFile[], others: readonly WorkflowFile[]): string[] {
  const mayMeet = (one: WorkflowFile, other: WorkflowFile) =>
    groupsOf(one.workflow).some((group) =>
      groupsOf(other.workflow).some((met) => maySharePrefix(group, met)),
    );
  return files.flatMap((one) =>
    others
      .filter((other) => one.name !== other.name && mayMeet(one, other))
      .map((other) => `${one.name} and ${other.name}`),
  );
}

/** Whether two texts could be equal, or one the beginning of the other, whatever their expressions evaluate to. */
export function maySharePrefix(one: string, other: string): boolean {
  const [a, b] = [literalOf(one), literalOf(other)];
  return a.startsWith(b) || b.startsWith(a);
}

/** What a string begins with, whatever its expressions evaluate to. */
function literalOf(text: string): string {
  return text.split('${{')[0] ?? '';
}

/** Every `uses:`, with the comment on its line. */
function usesOf(text: string): string[] {
  return [...text.matchAll(/^[ -]*uses: *(.+?) *$/gm)].map(([, uses = '']) => uses);
}

function jobProblems(id: string, job: Job): string[] {
  const runs = (job.steps ?? []).map(({ run = '' }) => run);
  return [
    ...(job.uses === undefined && job['timeout-minutes'] === undefined ? [`${id} has no time limit`] : []),
    // Even a harmless expression isn't allowed: a step gets values through its `env`.
    ...runs.filter((run) => run.includes('${{')).map(() => `${id} writes an expression into a shell`),
  ];
}

function groupsOf({ concurrency, jobs }: Workflow): string[] {
  return [concurrency, ...Object.values(jobs).map((job) => job.concurrency)].flatMap((one) =>
    one === undefined ? [] : [one.group],
  );
}

function groupProblems(group: string): string[] {
  return [
    ...(literalOf(group) === '' ? [`the group ${group} has no name of its own`] : []),
    // In a called workflow, this is the caller's name.
    ...(group.includes('github.workflow') ? [`the group ${group} depends on who calls`] : []),
  ];
}
