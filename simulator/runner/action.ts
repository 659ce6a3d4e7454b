import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The parts of `action.yml` that the runner needs. */
export interface ActionDefinition {
  readonly main: string;
  readonly post: string;
  readonly inputs: ReadonlyMap<string, string>;
}

interface ActionYaml {
  readonly runs: { readonly main: string; readonly post: string; readonly 'post-if': 'always()' };
  readonly inputs?: Readonly<Record<string, { readonly default?: string | number | boolean } | null>>;
}

/** The root folder of this repository, which is also the action's. */
export const ACTION_DIR = fileURLToPath(new URL('../..', import.meta.url));

/** Reads `action.yml`. The entry points are in `distDir`. */
export function readAction(distDir = join(ACTION_DIR, 'dist')): ActionDefinition {
  const { runs, inputs = {} } = parse(readFileSync(join(ACTION_DIR, 'action.yml'), 'utf8')) as ActionYaml;
  if (runs['post-if'] !== 'always()') throw new Error('The simulated runner always runs post');
  return {
    main: join(distDir, basename(runs.main)),
    post: join(distDir, basename(runs.post)),
    inputs: new Map(Object.entries(inputs).map(([name, input]) => [name, String(input?.default ?? '')])),
  };
}

/** The INPUT_* variables, and the names of given inputs that the action doesn't declare. */
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

function expand(value: string, githubToken: string): string {
  return value.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    if (expression !== 'github.token')
      throw new Error(`The simulated runner does not know \${{ ${expression} }}`);
    return githubToken;
  });
}
