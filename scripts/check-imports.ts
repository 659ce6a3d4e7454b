import { resolve } from 'node:path';

import { findCycles, type Import, readSources, type SourceFile } from './import-graph.ts';
import { type ImportRule, rules } from './import-rules.ts';

/*
 * Part of `npm run check`: no import leads back to where it came from, and every import goes along the arrows of
 * import-rules.ts.
 */

/** What a pure file may not use though nobody has to import it. */
const outside = new Set([
  'globalThis',
  'fetch',
  'new WebSocket(…)',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'process',
  'performance',
  'Date.now',
  'new Date()',
  'Temporal.Now',
]);

/** All that is wrong with the imports of a tree, a line each. */
export function importProblems(root: string): string[] {
  const files = readSources(root, ['src', 'simulator', 'scripts', '__tests__']);
  return [...findCycles(files).map((cycle) => `circle: ${cycle}`), ...files.flatMap(brokenRules)];
}

function brokenRules({ path, imports, names }: SourceFile): string[] {
  const [rule] = rules
    .filter(({ files }) => isIn(path, files))
    .sort((one, other) => other.files.length - one.files.length);
  if (rule === undefined)
    return path.startsWith('src/') ? [`${path}: no rule of import-rules.ts is about it`] : [];
  const { files } = rule;
  return [
    ...imports
      .filter((one) => !isAllowed(rule, one))
      .map(({ to, isType }) => `${path} → ${to}: ${files} may not import ${isType ? 'types of ' : ''}that`),
    ...(rule.pure === true ? names.filter((name) => outside.has(name)) : []).map(
      (name) => `${path}: ${files} is pure, and this uses ${name}`,
    ),
  ];
}

function isAllowed({ files, may, never = [], typesToo }: ImportRule, { to, isType }: Import): boolean {
  if (never.some((place) => isIn(to, place))) return false;
  if (isType && typesToo !== true) return true;
  return may === undefined || [files, ...may].some((place) => isIn(to, place));
}

function isIn(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

if (import.meta.main) {
  const problems = importProblems(resolve(import.meta.dirname, '..'));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
