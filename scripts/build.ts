import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ncc, { type Bundle, type BundledModule } from '@vercel/ncc';
import * as esbuild from 'esbuild';

/*
 * Builds dist/: tsc compiles src/ to JavaScript, ncc bundles it with its dependencies, and esbuild removes comments and
 * whitespace. With `--check`, builds in a temporary folder and compares the files byte for byte.
 */

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** The two phases, and main.js, which both load only if there is work. It is separate so that dist/ contains it only once. */
const entries = ['index', 'post', 'main'];

/**
 * Modules that undici imports but the action never uses. Our dispatcher only speaks HTTP/1.1, so it doesn't need `node:http2`,
 * the slowest of Node's modules to load. The experimental second HTTP/1 parser is off. All bodies are text, so the code for
 * forms and streams isn't needed. If one of these modules is used after all, the error contains the name below.
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
  execFileSync(process.execPath, [tsc, '--project', project, '--outDir', outdir], { stdio: 'inherit' });
}

/** Writes the part of zod that src/ uses. ncc would bundle all of it. Returns the paths of zod's modules. */
async function pickZod(work: string, outfile: string): Promise<string[]> {
  const modules = readdirSync(work, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const code = modules.map((name) => readFileSync(join(work, name), 'utf8')).join();
  const used = new Set(Array.from(code.matchAll(/\bz\.(\w+)/g), ([, name]) => name));
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    stdin: { contents: `export { ${[...used].join()} } from 'zod/mini'`, resolveDir: root },
    bundle: true,
    format: 'esm',
    metafile: true,
    outfile,
  });
  return Object.keys(metafile.inputs).map((path) => resolve(root, path));
}

/** Returns the files of dist/ by name. */
async function bundle(work: string): Promise<Map<string, string>> {
  const zod = join(work, 'zod.js');
  const files = new Map<string, string>();
  const sources = new Set(await pickZod(work, zod));
  const pathOf = (file: string) => [relative(work, join(root, 'scripts', file))];
  const unused = pathOf('unused.cjs');
  const paths = {
    undici: pathOf('undici.cjs'),
    'zod/mini': [relative(work, zod)],
    '@actions/exec': unused,
    '@actions/http-client': unused,
    '@actions/http-client/lib/auth': unused,
  };
  // ncc applies the `paths` of the tsconfig.json in its working directory to dependencies, too, so the bundle has one undici.
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions: { paths } }));
  for (const entry of entries) {
    const filename = `${entry}.js`;
    const { code, assets, stats } = await ncc(join(work, filename), {
      filename,
      esm: true,
      target: 'es2024',
      cache: false,
      quiet: true,
      // Some strings in dependencies look like paths of files to copy, but the action never reads those files.
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

/** ncc writes this once for each of Node's modules. */
const newRequire = '__WEBPACK_EXTERNAL_createRequire(import.meta.url)';

/** Removes comments and whitespace, but keeps names for readable stack traces. The result is ASCII, which V8 reads fastest. */
async function minified(code: string): Promise<string> {
  // Sharing one `require` saves a millisecond or two before the first request.
  const shared = code.includes(newRequire)
    ? `const nodeRequire = ${newRequire};\n${code.replaceAll(newRequire, 'nodeRequire')}`
    : code;
  const { code: small } = await esbuild.transform(shared, {
    minifySyntax: true,
    minifyWhitespace: true,
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
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text =
        file === undefined ? `Licensed under ${license}.` : readFileSync(join(folder, file), 'utf8').trim();
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
  return [...names].filter((name) => !one.get(name)?.equals(other.get(name) ?? Buffer.alloc(0))).sort();
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
