import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** What the runner reads in an `action.yml`. */
export interface ActionDefinition {
  readonly main: string;
  readonly post: string | undefined;
  readonly postIf: string;
  /** The declared inputs with their defaults. */
  readonly inputs: ReadonlyMap<string, string>;
}

interface ActionYaml {
  readonly runs: { readonly main: string; readonly post?: string; readonly 'post-if'?: string };
  readonly inputs?: Readonly<Record<string, { readonly default?: string | number | boolean } | null>>;
}

/** The folder of this repository's own action. */
export const ACTION_DIR = fileURLToPath(new URL('../..', import.meta.url));

/** Reads `action.yml`. With `distDir` the entry points are looked for in that folder instead. */
export function readAction(actionDir: string, distDir: string | undefined): ActionDefinition {
  const { runs, inputs = {} } = parse(readFileSync(join(actionDir, 'action.yml'), 'utf8')) as ActionYaml;
  const entry = (path: string): string =>
    distDir === undefined ? join(actionDir, path) : join(distDir, basename(path));
  return {
    main: entry(runs.main),
    post: runs.post === undefined ? undefined : entry(runs.post),
    postIf: runs['post-if'] ?? 'always()',
    inputs: new Map(Object.entries(inputs).map(([name, input]) => [name, String(input?.default ?? '')])),
  };
}

/** The INPUT_* variables, and the names of given inputs that the action does not declare. */
export function inputVariables(
  declared: ReadonlyMap<string, string>,
  given: Readonly<Record<string, string>>,
  githubToken: string,
): { readonly variables: Record<string, string>; readonly unexpected: string[] } {
  const variables: Record<string, string> = {};
  const names = new Map([...declared.keys()].map((name) => [name.toLowerCase(), name]));
  const unexpected = Object.keys(given).filter((name) => !names.has(name.toLowerCase()));
  const values = new Map([...declared].map(([name, value]) => [name, expand(value, githubToken)]));
  for (const [name, value] of Object.entries(given)) values.set(names.get(name.toLowerCase()) ?? name, value);
  for (const [name, value] of values) variables[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] = value;
  return { variables, unexpected };
}

/** Whether `post-if` lets the post phase run. Understands the status functions only. */
export function postRuns(
  postIf: string,
  { failed, cancelled }: { failed: boolean; cancelled: boolean },
): boolean {
  switch (postIf.trim()) {
    case 'always()':
      return true;
    case 'success()':
      return !failed && !cancelled;
    case 'failure()':
      return failed;
    case 'cancelled()':
      return cancelled;
    case '!cancelled()':
      return !cancelled;
    default:
      throw new Error(`The simulated runner does not know post-if: ${postIf}`);
  }
}

function expand(value: string, githubToken: string): string {
  return value.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    if (expression !== 'github.token')
      throw new Error(`The simulated runner does not know \${{ ${expression} }}`);
    return githubToken;
  });
}
