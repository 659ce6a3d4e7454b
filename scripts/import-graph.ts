import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from '@swc/core';

/** One import of a file, static or dynamic. */
export interface Import {
  /** A path from the root, or what is imported by name: a package, a module of Node. */
  readonly to: string;
  /** Whether it is erased before anything runs. */
  readonly isType: boolean;
}

export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** The names that it calls, makes things of or looks into: `fetch`, `new Date()`, `Date`, `Date.now`. */
  readonly names: readonly string[];
}

/** Reads all modules in the folders of a root. */
export function readSources(root: string, folders: readonly string[]): SourceFile[] {
  const patterns = folders.map((folder) => `${folder}/**/*.{ts,mjs,js}`);
  // A script may have packages of its own beside it.
  const found = globSync(patterns, { cwd: root, exclude: ['**/node_modules'] });
  const paths = found.map((path) => path.replaceAll('\\', '/'));
  return paths.sort().map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
}

/** The shortest cycle through each file that is in one, every cycle once: `a.ts → b.ts → a.ts`. */
export function findCycles(files: readonly SourceFile[]): string[] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.map(({ to }) => to)]));
  const cycles = new Set<string>();
  for (const { path } of files) {
    const cycle = shortestWayBack(path, targets);
    if (cycle === undefined) continue;
    // Told from its first file in the alphabet, whichever file it was found from.
    const first = cycle.indexOf([...cycle].sort()[0] ?? path);
    const told = [...cycle.slice(first), ...cycle.slice(0, first)];
    cycles.add([...told, told[0]].join(' → '));
  }
  return [...cycles].sort();
}

function shortestWayBack(
  start: string,
  targets: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const seen = new Set<string>();
  const ways: string[][] = [[start]];
  for (const way of ways) {
    for (const target of targets.get(way.at(-1) ?? start) ?? []) {
      if (target === start) return way;
      if (seen.has(target)) continue;
      seen.add(target);
      ways.push([...way, target]);
    }
  }
  return undefined;
}

/** A node of swc's syntax tree, of which only what is looked at is described. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly typeOnly?: boolean;
  readonly source?: Node | null;
  readonly argument?: Node;
  readonly callee?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly arguments?: readonly { readonly expression: Node }[] | null;
}

function readSource(path: string, text: string): SourceFile {
  const imports: Import[] = [];
  const names: string[] = [];
  const add = (target: Node | undefined, isType: boolean): void => {
    if (target?.type !== 'StringLiteral')
      throw new Error(`${path} imports something whose name is not written out, so it cannot be checked`);
    const name = String(target.value);
    imports.push({ to: name.startsWith('.') ? posix.join(posix.dirname(path), name) : name, isType });
  };
  for (const node of nodesIn(parseSync(text, { syntax: 'typescript', target: 'es2024' }))) {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
        if (node.source != null) add(node.source, node.typeOnly === true);
        break;
      case 'TsImportType':
        add(node.argument, true);
        break;
      case 'CallExpression':
        if (node.callee?.type === 'Import') add(node.arguments?.[0]?.expression, false);
        else names.push(nameOf(node.callee));
        break;
      case 'MemberExpression':
        names.push(nameOf(node.object), `${nameOf(node.object)}.${nameOf(node.property)}`);
        break;
      case 'NewExpression':
        names.push(`new ${nameOf(node.callee)}(${node.arguments?.length ? '…' : ''})`);
        break;
    }
  }
  return { path, imports, names: [...new Set(names)] };
}

function nameOf(node: Node | undefined): string {
  return node?.type === 'Identifier' ? String(node.value) : '';
}

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const child of Object.values(value)) yield* nodesIn(child);
}
