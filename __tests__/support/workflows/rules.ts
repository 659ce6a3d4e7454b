import { parse } from 'yaml';
import type { Job, Workflow } from './workflow.ts';

/* Rules for all workflows: ours, and the examples that users copy. */

/** A workflow file, both as text and parsed. */
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

/** All problems in a single workflow. */
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

/** Workflows that call another one and set a concurrency group. Only the called workflow should set it. */
export function waitingCallersOf(files: readonly WorkflowFile[]): string[] {
  return files
    .filter(({ workflow }) => Object.values(workflow.jobs).some(({ uses }) => uses !== undefined))
    .filter(({ workflow }) => groupsOf(workflow).length > 0)
    .map(({ name }) => name);
}

/** Pairs of workflows that may share a concurrency group. If one of them calls the other, GitHub cancels the run. */
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

/** Whether two texts could be equal, or one could begin with the other, whatever their expressions evaluate to. */
export function maySharePrefix(one: string, other: string): boolean {
  const [a, b] = [literalOf(one), literalOf(other)];
  return a.startsWith(b) || b.startsWith(a);
}

function literalOf(text: string): string {
  return text.split('${{')[0] ?? '';
}

/** Every `uses:` value, including the comment after it. */
function usesOf(text: string): string[] {
  return [...text.matchAll(/^[ -]*uses: *(.+?) *$/gm)].map(([, uses = '']) => uses);
}

function jobProblems(id: string, job: Job): string[] {
  const runs = (job.steps ?? []).map(({ run = '' }) => run);
  return [
    ...(job.uses === undefined && job['timeout-minutes'] === undefined ? [`${id} has no time limit`] : []),
    // Steps must get all values through `env`, even harmless ones.
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
    // In a called workflow, `github.workflow` is the caller's name.
    ...(group.includes('github.workflow') ? [`the group ${group} depends on who calls`] : []),
  ];
}
