import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ncc, { type Bundle, type BundledModule } from '@vercel/ncc';
import * as esbuild from 'esbuild';

/*
 * Builds dist/: tsc compiles src/ to JavaScript, ncc bundles it with its dependencies, and a minifier removes comments and
 * whitespace. `--check` builds elsewhere and compares, byte for byte.
 */

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** The two phases, and the code they load only when there is work. Bundled into each phase, it would exist twice. */
const entries = ['index', 'post', 'main'];

/**
 * Modules that undici imports but the action never needs. Our dispatcher only speaks HTTP/1.1, so the HTTP/2 client can do
 * without `node:http2`, the slowest of Node's modules to load, as in a Node built without it. The experimental second HTTP/1
 * parser is off. Bodies are text, so the code for forms and streams is unused. Using any of these throws an error that names
 * this list.
 */
const leftOut = Object.fromEntries(
  [
    'node:http2',
    '../milo/simd.js',
    '../milo/no-simd.js',
    '../web/fetch/body.js',
    '../web/fetch/formdata',
    '../web/webidl',
  ].map((request) => [request, 'node:left-out-of-the-bundle']),
);

async function build(outdir: string): Promise<void> {
  // In the repository, so that packages are found. Paths in the bundle are relative to it, so they are always the same.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'build-'));
  try {
    emit(work);
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

/** src/ as JavaScript. */
function emit(outdir: string): void {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(root, 'tsconfig.build.json');
  execFileSync(process.execPath, [tsc, '--project', project, '--outDir', outdir], { stdio: 'inherit' });
}

/** The files of the bundle, by name. */
async function bundle(work: string): Promise<Map<string, string>> {
  // ncc follows the `paths` of the tsconfig.json in its working directory, even for dependencies: one copy of undici for all.
  const undici = relative(work, join(root, 'scripts', 'undici.cjs'));
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { paths: { undici: [undici] } } }),
  );
  const files = new Map<string, string>();
  const sources = new Set<string>();
  for (const entry of entries) {
    const filename = `${entry}.js`;
    const { code, assets, stats } = await ncc(join(work, filename), {
      filename,
      esm: true,
      target: 'es2024',
      cache: false,
      quiet: true,
      // Everything is in the code. Whatever looks like a file path in a dependency is never used by the action.
      customEmit: () => false,
      externals: leftOut,
    });
    files.set(filename, await minified(code));
    for (const [name, { source }] of Object.entries(assets)) {
      files.set(name, name.endsWith('.js') ? await minified(`${source}`) : `${source}`);
    }
    for (const source of sourcesOf(stats)) sources.add(source);
  }
  return files.set('LICENSES.txt', licenses(sources));
}

/** Removes comments and whitespace. Names stay as they are, so that stack traces are readable. */
async function minified(code: string): Promise<string> {
  const { code: small } = await esbuild.transform(code, {
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    charset: 'utf8',
    target: 'node24',
    format: 'esm',
  });
  return small;
}

/** The paths of all files in a bundle. */
function sourcesOf(stats: Bundle['stats']): string[] {
  const pathsOf = ({ nameForCondition, modules = [] }: BundledModule): string[] => [
    ...(nameForCondition == null ? [] : [nameForCondition]),
    ...modules.flatMap(pathsOf),
  ];
  const wanted = {
    all: false,
    modules: true,
    nestedModules: true,
    modulesSpace: Infinity,
    nestedModulesSpace: Infinity,
  };
  const paths = (stats.toJson(wanted).modules ?? []).flatMap(pathsOf);
  const missing = paths.filter((path) => path.includes('@@notfound'));
  if (missing.length > 0) throw new Error(`ncc can’t follow these imports: ${missing.join(', ')}`);
  return paths;
}

/** The license text of every package with a file in the bundle. */
function licenses(sources: ReadonlySet<string>): string {
  const folders = new Set(
    [...sources].flatMap(
      (path) => path.match(/^.*node_modules\/(?!\.cache)(?:@[^/]+\/)?[^/]+/)?.slice(0, 1) ?? [],
    ),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text =
        file === undefined ? `Licensed under ${license}.` : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n${license}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function filesOf(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  return new Map(
    paths
      .filter((path) => statSync(path).isFile())
      .map((path): [string, Buffer] => [relative(folder, path), readFileSync(path)]),
  );
}

/** Paths that differ between two folders, or exist in only one. */
function differences(one: Map<string, Buffer>, other: Map<string, Buffer>): string[] {
  const paths = new Set([...one.keys(), ...other.keys()]);
  return [...paths].filter((path) => !one.get(path)?.equals(other.get(path) ?? Buffer.alloc(0))).sort();
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (values.check) {
  const fresh = mkdtempSync(join(tmpdir(), 'docs-agent-dist-'));
  try {
    await build(fresh);
    const stale = differences(filesOf(dist), filesOf(fresh));
    if (stale.length > 0) {
      console.error(
        `dist/ is not what the source builds: ${stale.join(', ')}. Run \`npm run build\` and commit it.`,
      );
      process.exitCode = 1;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
} else {
  await build(dist);
  const bytes = [...filesOf(dist).values()].reduce((sum, { length }) => sum + length, 0);
  console.log(`dist/: ${(bytes / 1024).toFixed(0)} KiB`);
}
