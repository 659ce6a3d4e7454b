import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ncc, { type Bundle, type BundledModule } from '@vercel/ncc';
import * as esbuild from 'esbuild';

/*
 * Builds dist/: tsc compiles src/ to JavaScript, ncc bundles it with its dependencies, and esbuild
 * removes comments, whitespace, and unused code. With `--check`, builds in a temporary folder and
 * compares the files byte for byte.
 */

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

async function build(outdir: string): Promise<void> {
  // The work folder is inside the repository, so that imports find their packages. Paths in the
  // bundle are relative to this folder, so the bundle doesn't depend on the folder's random name.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'build-'));
  try {
    compile(work);
    process.chdir(work);
    const files = await bundle(work);
    rmSync(outdir, { recursive: true, force: true });
    mkdirSync(outdir, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(outdir, name), text);
  } finally {
    process.chdir(root);
    rmSync(work, { recursive: true });
  }
}

/** Compiles src/ to JavaScript. */
function compile(outdir: string): void {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(root, 'tsconfig.build.json');
  execFileSync(process.execPath, [tsc, '--project', project, '--outDir', outdir], {
    stdio: 'inherit',
  });
}

/** Returns the files of dist/ by name. */
async function bundle(work: string): Promise<Map<string, string>> {
  const { code, assets, stats } = await ncc(join(work, 'index.js'), {
    filename: 'index.js',
    esm: true,
    target: 'es2024',
    cache: false,
    quiet: true,
    // Some strings in dependencies look like paths of files to copy, but the action never reads
    // those files.
    customEmit: () => false,
  });
  const files = new Map([['index.js', await minify(code)]]);
  for (const [name, { source }] of Object.entries(assets)) {
    const text = `${source}`;
    files.set(name, name.endsWith('.js') ? await minify(text) : text);
  }
  // The post phase isn't bundled: it only starts index.js.
  files.set('post.js', await minify(readFileSync(join(work, 'post.js'), 'utf8')));
  return files.set('LICENSES.txt', listLicenses(listSources(stats)));
}

/**
 * Makes code smaller, but keeps names for readable stack traces. The result is ASCII, which V8
 * reads fastest.
 */
async function minify(code: string): Promise<string> {
  const { code: small } = await esbuild.transform(code, {
    minifySyntax: true,
    minifyWhitespace: true,
    treeShaking: true,
    legalComments: 'none',
    target: 'node24',
    format: 'esm',
  });
  return small;
}

/** The paths of all files in the bundle. */
function listSources(stats: Bundle['stats']): string[] {
  const paths: string[] = [];
  const collect = (modules: readonly BundledModule[] = []) => {
    for (const module of modules) {
      if (module.nameForCondition != null) paths.push(module.nameForCondition);
      collect(module.modules);
    }
  };
  const statsOptions = {
    all: false,
    modules: true,
    nestedModules: true,
    modulesSpace: Infinity,
    nestedModulesSpace: Infinity,
  };
  collect(stats.toJson(statsOptions).modules);
  const missing = paths.filter((path) => path.includes('@@notfound'));
  if (missing.length > 0) throw new Error(`ncc can’t follow these imports: ${missing.join(', ')}`);
  return paths;
}

/** The license of every package with a file in the bundle. */
function listLicenses(sources: readonly string[]): string {
  const folders = new Set<string>();
  for (const path of sources) {
    const folder = path.match(/^.*node_modules\/(?!\.cache)(?:@[^/]+\/)?[^/]+/)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const licenses = [...folders].sort().map(describeLicense);
  return licenses.join(`\n${'-'.repeat(80)}\n\n`);
}

function describeLicense(folder: string): string {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  let text = `Licensed under ${about.license}.`;
  if (file !== undefined) text = readFileSync(join(folder, file), 'utf8').trim();
  return `${about.name} ${about.version}\n${about.license}\n\n${text}\n`;
}

function readFiles(folder: string): Map<string, Buffer> {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

/** The names of the files that differ, or that only one folder has. */
function findDifferences(committed: Map<string, Buffer>, built: Map<string, Buffer>): string[] {
  const names = new Set([...committed.keys(), ...built.keys()]);
  const isSame = (name: string) => {
    const file = built.get(name);
    return file !== undefined && committed.get(name)?.equals(file);
  };
  return [...names].filter((name) => !isSame(name)).sort();
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (values.check) {
  const fresh = mkdtempSync(join(tmpdir(), 'docs-agent-dist-'));
  try {
    await build(fresh);
    const stale = findDifferences(readFiles(dist), readFiles(fresh));
    if (stale.length > 0) {
      console.error(`dist/ is not what the source builds: ${stale.join(', ')}.`);
      console.error('Run `npm run build` and commit it.');
      process.exitCode = 1;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
} else {
  await build(dist);
  const bytes = [...readFiles(dist).values()].reduce((sum, { length }) => sum + length, 0);
  console.log(`dist/: ${(bytes / 1024).toFixed(0)} KiB`);
}
