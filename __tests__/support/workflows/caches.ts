import { parse } from 'yaml';
import { mayBeginAlike, type WorkflowFile } from './rules.ts';
import type { Job, Step, Workflow } from './workflow.ts';

/* What holds of the caches of workflows: each is kept whatever turns the run red, and is taken for no other's. */

const restoring = 'actions/cache/restore@';
const saving = 'actions/cache/save@';

/** What is wrong with the caches of a workflow by itself. */
export function cacheProblemsOf({ name, text }: WorkflowFile): string[] {
  const jobs = Object.values((parse(text) as Workflow).jobs);
  return jobs.flatMap(jobProblems).map((problem) => `${name}: ${problem}`);
}

/**
 * The workflows that may start from the cache of one of the others, whatever their expressions come to: GitHub takes the newest
 * entry whose key begins with a restore key.
 */
export function sharedCachesOf(files: readonly WorkflowFile[]): string[] {
  return files.flatMap((one) =>
    files
      .filter((other) => one !== other)
      .filter((other) =>
        keysIn(one, 'restore-keys').some((prefix) =>
          keysIn(other, 'key').some((key) => mayBeginAlike(prefix, key)),
        ),
      )
      .map((other) => `${one.name} and ${other.name}`),
  );
}

function keysIn({ text }: WorkflowFile, input: 'key' | 'restore-keys'): string[] {
  const steps = Object.values((parse(text) as Workflow).jobs).flatMap((job) => job.steps ?? []);
  return steps.filter(uses(restoring)).map(({ with: values }) => String(values?.[input]));
}

function uses(action: string) {
  return (step: Step): boolean => step.uses?.startsWith(action) === true;
}

function jobProblems({ steps = [] }: Job): string[] {
  const restores = steps.filter(uses(restoring));
  const saves = steps.filter(uses(saving));
  return [
    ...steps.filter(uses('actions/cache@')).map(() => 'keeps a cache only where nothing turns red'),
    ...restores
      .filter((restore) => !saves.some((save) => belongs(save, restore)))
      .map(({ id }) => `never saves the cache ${id}`),
    ...saves
      .filter((save) => save.if?.includes('!cancelled()') !== true)
      .map(() => 'saves a cache only where nothing turns red'),
    ...restores
      .filter(({ with: values }) => !String(values?.key).startsWith(String(values?.['restore-keys'])))
      .map(({ id }) => `never finds the cache ${id} again`),
  ];
}

/** Whether a step saves the cache that another has restored: by the same key, and of the same path. */
function belongs({ with: saved }: Step, { id, with: restored }: Step): boolean {
  return saved?.key === `\${{ steps.${id}.outputs.cache-primary-key }}` && saved.path === restored?.path;
}
