import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ncc, { type Bundle, type BundledModule } from '@vercel/ncc';
import * as esbuild from 'esbuild';

/*
 * Builds dist/: tsc compiles src/ to JavaScript, ncc bundles it with its dependencies, and esbuild removes comments,
 * whitespace, and unused code. With `--check`, builds in a temporary folder and compares the files byte for byte.
 */

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

async function build(outdir: string): Promise<void> {
  // The work folder is inside the repository, so that imports find their packages. Paths in the bundle are relative to this
  // folder, so the bundle doesn't depend on the folder's random name.
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
    // Some strings in dependencies look like paths of files to copy, but the action never reads those files.
    customEmit: () => false,
  });
  const files = new Map([['index.js', await minified(code)]]);
  for (const [name, { source }] of Object.entries(assets)) {
    files.set(name, name.endsWith('.js') ? await minified(`${source}`) : `${source}`);
  }
  // The post phase isn't bundled: it only starts index.js.
  files.set('post.js', await minified(readFileSync(join(work, 'post.js'), 'utf8')));
  return files.set('LICENSES.txt', licenses(new Set(sourcesOf(stats))));
}

/** Makes code smaller, but keeps names for readable stack traces. The result is ASCII, which V8 reads fastest. */
async function minified(code: string): Promise<string> {
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

/** The license of every package with a file in the bundle. */
function licenses(sources: ReadonlySet<string>): string {
  const folders = new Set(
    [...sources].flatMap(
      (path) => path.match(/^.*node_modules\/(?!\.cache)(?:@[^/]+\/)?[^/]+/)?.slice(0, 1) ?? [],
    ),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      );
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text =
        file === undefined
          ? `Licensed under ${license}.`
          : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n${license}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function filesOf(folder: string): Map<string, Buffer> {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

/** The names of files that differ, or that exist on only one side. */
function differences(one: Map<string, Buffer>, other: Map<string, Buffer>): string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names]
    .filter((name) => !one.get(name)?.equals(other.get(name) ?? Buffer.alloc(0)))
    .sort();
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
