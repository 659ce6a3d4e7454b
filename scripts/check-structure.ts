import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cruise, type IAllowedRuleType, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

/*
 * Usage: `node scripts/check-structure.ts`, in the repository to check. Every import must be allowed by .dependency-cruiser.js, and
 * everything that it allows must be used, unless `--part` says that only a part of the source is there. Files and folders in src/
 * must not import each other in a circle, and each exported name must be unique.
 */

/** An import, or the connection between two folders that it creates. */
interface Arrow {
  readonly from: string;
  readonly to: string;
}
type LabeledArrow = Arrow & { readonly label: string };

const { values } = parseArgs({ options: { part: { type: 'boolean', default: false } } });
const options = await extractOptions(resolve(import.meta.dirname, '../.dependency-cruiser.js'));
const { output } = await cruise(['src', 'simulator', 'scripts', '__tests__'], options);
const { modules, summary } = output as ICruiseResult;
const sources = modules.map(({ source }) => source).filter(isInSrc);
const imports = modules.flatMap(({ source, dependencies }) =>
  dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
);
const problems = [
  ...summary.violations.map(
    ({ rule, from, to }) =>
      `${rule.name.replace('not-in-allowed', 'not allowed by .dependency-cruiser.js')}: ${from} → ${to}`,
  ),
  ...circlesIn(imports.filter(({ from, to }) => isInSrc(from) && isInSrc(to))),
  ...sharedNamesIn(sources),
  ...(values.part ? [] : unusedIn(options.ruleSet?.allowed ?? [])),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function isInSrc(path: string): boolean {
  return path.startsWith('src/');
}

/**
 * Finds circles among neighbors, which are files or folders in the same folder. For example, if `src/agent/context/x.ts` imports
 * `src/agent/y.ts`, this connects the neighbors `src/agent/context` and `src/agent/y.ts`. dependency-cruiser's `scope: 'folder'`
 * isn't enough, because it misses two folders whose subfolders import each other.
 */
function circlesIn(imports: readonly Arrow[]): string[] {
  const arrows = new Map<string, LabeledArrow>();
  for (const { from, to } of imports) {
    const neighbors = neighborsOf(from, to);
    arrows.set(JSON.stringify(neighbors), { ...neighbors, label: `${from} → ${to}` });
  }
  const circles = [...arrows.values()].flatMap((first) =>
    shortestCircle(first, [...arrows.values()]),
  );
  return [...new Set(circles)].map((circle) => `circle: ${circle}`);
}

function neighborsOf(from: string, to: string): Arrow {
  const [one, other] = [from.split('/'), to.split('/')];
  const depth = one.findIndex((part, index) => part !== other[index]) + 1;
  return { from: one.slice(0, depth).join('/'), to: other.slice(0, depth).join('/') };
}

function shortestCircle(first: LabeledArrow, arrows: readonly LabeledArrow[]): string[] {
  const reached = new Set([first.to]);
  const paths = [[first]];
  for (const path of paths) {
    const end = path.at(-1)?.to;
    if (end === first.from) {
      const labels = path.map(({ label }) => label).sort();
      return [labels.join(', ')];
    }
    for (const arrow of arrows) {
      if (arrow.from !== end || reached.has(arrow.to)) continue;
      reached.add(arrow.to);
      paths.push([...path, arrow]);
    }
  }
  return [];
}

/** The allowances for folders of src/ that no import needs. */
function unusedIn(rules: readonly IAllowedRuleType[]): string[] {
  const isUsed = ({ from, to }: IAllowedRuleType) => {
    const [source, target] = [from, to].map(({ path }) => new RegExp(`${path}`));
    return imports.some((arrow) => source?.test(arrow.from) && target?.test(arrow.to));
  };
  const unused = rules.filter((rule) => rule.comment !== undefined && !isUsed(rule));
  return unused.map(
    ({ comment }) => `allowed by .dependency-cruiser.js, but unused, so remove it: ${comment}`,
  );
}

function sharedNamesIn(paths: readonly string[]): string[] {
  const declaration =
    /^export (?:abstract |async )?(?:class|const|function\*?|interface|let|type) (\w+)/gm;
  const files = new Map<string, Set<string>>();
  for (const path of paths)
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(declaration))
      files.set(name, (files.get(name) ?? new Set()).add(path));
  return [...files]
    .filter(([, { size }]) => size > 1)
    .map(([name, declaring]) => `two files export ${name}: ${[...declaring].sort().join(', ')}`);
}
