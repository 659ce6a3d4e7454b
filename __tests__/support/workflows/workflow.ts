import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Access, Capabilities } from '../../../simulator/github/types.ts';

/** The folders with workflows: the examples, and our own. */
export const folders = {
  examples: fileURLToPath(new URL('../../../examples/', import.meta.url)),
  own: fileURLToPath(new URL('../../../.github/workflows/', import.meta.url)),
};

/** The permissions that a job can set. */
export type Permission = Exclude<keyof Capabilities, 'metadata'>;
export type Permissions = Readonly<Partial<Record<Permission, Access>>>;

/** An input of a called workflow or of a manual run. */
export interface DeclaredInput {
  readonly type: 'string' | 'number' | 'boolean';
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: string | number | boolean;
}

/** A concurrency group. With `queue: max`, GitHub keeps all waiting runs; otherwise, only the newest. */
interface Concurrency {
  readonly group: string;
  readonly 'cancel-in-progress'?: boolean;
  readonly queue?: string;
}

export interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly 'continue-on-error'?: boolean;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly 'timeout-minutes'?: number | string;
  readonly permissions?: Permissions;
  readonly 'runs-on'?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly concurrency?: Concurrency;
  readonly strategy?: {
    readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] };
  };
  /** The workflow that the job calls. Such a job has no steps. */
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}

export interface Workflow {
  readonly on: {
    readonly workflow_dispatch?: {
      readonly inputs?: Readonly<Record<string, DeclaredInput>>;
    } | null;
    readonly workflow_call?: {
      readonly inputs: Readonly<Record<string, DeclaredInput>>;
      readonly secrets: Readonly<Record<string, { readonly required?: boolean }>>;
      readonly outputs: Readonly<Record<string, { readonly value: string }>>;
    };
  };
  readonly permissions: object;
  readonly concurrency?: Concurrency;
  readonly jobs: Readonly<Record<string, Job>>;
}

export function readWorkflow(folder: keyof typeof folders, file: string): Workflow {
  return parse(readFileSync(`${folders[folder]}${file}`, 'utf8')) as Workflow;
}

/** The workflow with one permission lowered by one level. */
export function lowered(workflow: Workflow, name: Permission): Workflow {
  const jobs = Object.entries(workflow.jobs).map(([id, job]) => {
    const access = job.permissions?.[name];
    const less = access === undefined ? {} : { [name]: access === 'write' ? 'read' : 'none' };
    return [id, { ...job, permissions: { ...job.permissions, ...less } }];
  });
  return { ...workflow, jobs: Object.fromEntries(jobs) };
}
