import type { Access } from '../../../simulator/github/types.ts';
import { type Contexts, evaluate, fill, holds } from './expression.ts';
import type { DeclaredInput, Job, Permission, Permissions, Step, Workflow } from './workflow.ts';

/*
 * Expands a workflow as GitHub does: one run for each leg of a matrix, including runs in the workflow that a job calls. Like
 * GitHub, it rejects inputs and secrets that are undeclared, missing, or of the wrong type, and permissions that the caller
 * doesn't grant. https://docs.github.com/en/actions/reference/workflows-and-actions/reusing-workflow-configurations
 */

/** One run of this action. */
export interface Leg {
  readonly inputs: Readonly<Record<string, string>>;
  readonly permissions: Permissions;
}

const ours = /^docs-agent\/docs-agent@/;
const call = /^docs-agent\/docs-agent\/\.github\/workflows\/([\w-]+\.yml)@v1$/;

const ranks: Readonly<Record<Access, number>> = { none: 0, read: 1, write: 2 };

/** The runs of this action that an event starts. @throws if GitHub would reject the workflow. */
export function legsOf(
  workflow: Workflow,
  contexts: Contexts,
  called: (file: string) => Workflow,
): Leg[] {
  const set = contexts.inputs as Readonly<Record<string, string>> | undefined;
  const inputs = mapped(
    workflow.on.workflow_dispatch?.inputs ?? {},
    (_, name) => set?.[name] ?? '',
  );
  return Object.values(workflow.jobs).flatMap((job) => {
    const given = { ...contexts, inputs };
    const legs = (job.strategy?.matrix.include ?? [{}]).map((leg) =>
      mapped(leg, (value) => fill(value, given)),
    );
    return legs.flatMap((matrix) => jobLegs(job, { ...given, matrix }, called));
  });
}

function jobLegs(job: Job, contexts: Contexts, called: (file: string) => Workflow): Leg[] {
  if (job.if !== undefined && !holds(evaluate(job.if, contexts))) return [];
  if (job.uses !== undefined) return calledLegs(job, job.uses, contexts, called);
  const all = job.steps ?? [];
  const env = mapped(job.env ?? {}, (value) => fill(value, contexts));
  const minted = all.filter(({ uses }) => uses?.startsWith('actions/create-github-app-token@'));
  const tokens = minted.map((step) => [
    step.id,
    { outputs: { token: mint(step, { ...contexts, env }) } },
  ]);
  const inside = { ...contexts, ...(tokens.length > 0 && { steps: Object.fromEntries(tokens) }) };
  const steps = all.filter(({ uses }) => ours.test(uses ?? ''));
  return steps.map(({ with: inputs = {} }) => ({
    inputs: mapped(inputs, (value) => fill(String(value), inside)),
    permissions: job.permissions ?? {},
  }));
}

/** The token that a step creates: here, the App's key itself. */
function mint({ if: condition = 'true', with: given = {} }: Step, contexts: Contexts): string {
  return holds(evaluate(condition, contexts)) ? fill(String(given['private-key']), contexts) : '';
}

function calledLegs(
  job: Job,
  uses: string,
  contexts: Contexts,
  called: (file: string) => Workflow,
): Leg[] {
  const file = call.exec(uses)?.[1];
  if (file === undefined) throw new Error(`${uses} is no workflow of a release of this action`);
  const callee = called(file);
  const declared = callee.on.workflow_call;
  if (declared === undefined) throw new Error(`${file} cannot be called`);
  const given = mapped(job.with ?? {}, (value) => fill(String(value), contexts));
  const passed = mapped(job.secrets ?? {}, (value) => fill(value, contexts));
  refuseUndeclared('input', given, declared.inputs);
  refuseUndeclared('secret', passed, declared.secrets);
  const secrets = { ...mapped(declared.secrets, () => ''), ...passed };
  // A called workflow gets the caller's event and variables, but only the inputs and secrets that were passed to it.
  const { github, vars, runner } = contexts;
  const inside = { github, vars, runner, inputs: mapped(declared.inputs, typed(given)), secrets };
  return Object.entries(callee.jobs).flatMap(([id, inner]) => {
    refuseMissingPermissions(id, inner.permissions ?? {}, job.permissions ?? {});
    return jobLegs(inner, inside, called);
  });
}

function refuseUndeclared(
  what: string,
  given: Readonly<Record<string, string>>,
  declared: Readonly<Record<string, { readonly required?: boolean }>>,
): void {
  for (const name of Object.keys(given))
    if (declared[name] === undefined) throw new Error(`The ${what} ${name} is not declared`);
  for (const [name, { required }] of Object.entries(declared))
    if (required === true && given[name] === undefined)
      throw new Error(`The ${what} ${name} is missing`);
}

/** GitHub rejects a run if a called workflow asks for more permissions than its caller has. */
function refuseMissingPermissions(id: string, asked: Permissions, granted: Permissions): void {
  for (const [name, access] of Object.entries(asked) as [Permission, Access][]) {
    const allowed = granted[name] ?? 'none';
    if (ranks[access] > ranks[allowed])
      throw new Error(
        `The nested job ${id} is requesting ${name}: ${access}, but is only allowed ${allowed}`,
      );
  }
}

function typed(given: Readonly<Record<string, string>>) {
  return ({ type, default: usual }: DeclaredInput, name: string): string | number | boolean => {
    const value = given[name];
    if (value === undefined) return usual ?? { string: '', number: 0, boolean: false }[type];
    if (type === 'string') return value;
    if (type === 'number' && /^\d+$/.test(value)) return Number(value);
    if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
    throw new Error(`The input ${name} takes a ${type}, not ${value}`);
  };
}

function mapped<V, W>(
  record: Readonly<Record<string, V>>,
  to: (value: V, name: string) => W,
): Readonly<Record<string, W>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value, name)]));
}
