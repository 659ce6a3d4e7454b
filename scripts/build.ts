import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';

/*
 * Builds dist/: one ES module for each phase, chunks for what a run may not need, and the licences of all that is in it.
 * `--check` builds elsewhere and compares, byte for byte.
 */

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** CommonJS dependencies ask for Node's modules with `require`, which an ES module does not have. */
const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/**
 * One copy of undici, and of it only what the action uses, for our own code and for every dependency. The dispatcher speaks
 * HTTP/1.1 alone (`allowH2: false`), so undici's HTTP/2 client stays out, and with it `node:http2`, the slowest of Node's
 * own modules to load; its second, experimental HTTP/1 parser stays out too.
 */
const undiciPart: esbuild.Plugin = {
  name: 'undici-part',
  setup(build) {
    const [part, absent] = ['undici.cjs', 'absent.cjs'].map((file) => join(root, 'scripts', file));
    build.onResolve({ filter: /^undici$/ }, () => ({ path: part ?? '' }));
    build.onResolve({ filter: /\/(client-h2|milo\/simd|milo\/no-simd)\.js$/ }, ({ importer }) =>
      importer.includes('/undici/') ? { path: absent ?? '' } : undefined,
    );
  },
};

async function build(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts', 'src/post.ts'],
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: banner },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning',
    plugins: [undiciPart],
  });
  writeFileSync(join(outdir, 'LICENSES.txt'), licences(Object.keys(metafile.inputs)));
}

/** The licence text of every package that has a file in the bundle. */
function licences(inputs: readonly string[]): string {
  const folders = new Set(
    inputs.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.slice(0, 1) ?? []),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
      const text =
        file === undefined
          ? `Licensed under ${license}.`
          : readFileSync(join(root, folder, file), 'utf8').trim();
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

/** Paths that differ between two folders, on whichever side they stand. */
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
