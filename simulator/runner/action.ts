import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The parts of `action.yml` that the runner needs. */
interface ActionYaml {
  readonly runs: { readonly main: string; readonly post: string; readonly 'post-if': 'always()' };
  readonly inputs?: Readonly<
    Record<string, { readonly default?: string | number | boolean } | null>
  >;
}

/** The root folder of this repository, which is also the action's. */
export const ACTION_DIR = fileURLToPath(new URL('../..', import.meta.url));

/** Reads the `action.yml` next to `distDir`, the folder with the entry points. */
export function readAction(distDir = join(ACTION_DIR, 'dist')) {
  const { runs, inputs = {} } = parse(
    readFileSync(join(distDir, '../action.yml'), 'utf8'),
  ) as ActionYaml;
  if (runs['post-if'] !== 'always()') throw new Error('The simulated runner always runs post');
  return {
    main: join(distDir, basename(runs.main)),
    post: join(distDir, basename(runs.post)),
    inputs: new Map(
      Object.entries(inputs).map(([name, input]) => [name, String(input?.default ?? '')]),
    ),
  };
}

/** The INPUT_* variables. @throws for inputs that the action doesn't declare. */
export function inputVariables(
  declared: ReadonlyMap<string, string>,
  given: Readonly<Record<string, string>>,
  githubToken: string,
): Record<string, string> {
  const nameOf = (input: string) => `INPUT_${input.replaceAll(' ', '_').toUpperCase()}`;
  const variables: Record<string, string> = {};
  for (const [input, value] of declared)
    variables[nameOf(input)] = value.replace('${{ github.token }}', githubToken);
  for (const [input, value] of Object.entries(given)) {
    if (variables[nameOf(input)] === undefined)
      throw new RangeError(`The action has no input ${input}`);
    variables[nameOf(input)] = value;
  }
  return variables;
}
