/*
 * Which imports are allowed, types included; scripts/check-structure.ts and `npx depcruise src` read it. Anything else in src/ is
 * an error, so a new folder needs a line here. pure.grit adds what an import's path can't tell.
 */

const shared = ['deps.ts', 'core', 'text', 'node:crypto'];
const edges = ['service', 'github', 'runner'];
const tables = ['node:path', 'csv-stringify', 'temporal-polyfill'];

/** What each folder of src/ may import besides itself: folders and files of src/, packages, modules of Node. */
const may = {
  text: ['node:crypto'],
  core: ['text', 'zod', 'picomatch', 'node:crypto'],
  http: ['core', 'text', 'undici', 'node:net'],
  service: ['http', 'core', 'text', 'undici', 'zod'],
  github: ['http', 'core', 'text', 'undici', 'zod', '@actions/github'],
  runner: ['core', 'text', '@actions/core', 'node:fs', 'node:path'],
  requests: [...shared, ...edges, 'zod'],
  agent: [...shared, ...edges, 'requests', 'zod'],
  collect: [...shared, ...edges, 'requests', 'zod'],
  report: [...shared, ...edges, 'zod', ...tables],
  visitors: [...shared, ...edges, 'report', 'requests', 'zod', 'node:v8', ...tables],
};

/** The regular expression for a folder or file of src/, a package or a module of Node. */
function pathOf(place) {
  if (place in may) return `^src/${place}/`;
  if (place.endsWith('.ts')) return `^src/${place}$`;
  return `^(node_modules/)?${place.replace('node:', '(node:)?')}(/|$)`;
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    // check-structure.ts finds those of src/, together with circles of folders.
    { name: 'circle', severity: 'error', from: { pathNot: '^src/' }, to: { circular: true } },
  ],
  allowed: [
    ...Object.entries(may).map(([folder, places]) => ({
      from: { path: `^src/${folder}/` },
      to: { path: [folder, ...places].map(pathOf) },
    })),
    { from: { path: '^src/core/clock.ts$' }, to: { path: pathOf('node:timers/promises') } },
    { from: { path: '^src/http/send.ts$' }, to: { path: pathOf('node:zlib') } },
    // main.ts and the few files next to it connect the parts.
    { from: { path: '^src/[^/]+$' }, to: { path: ['^src/', ...['undici', 'zod', 'node:fs'].map(pathOf)] } },
    // The simulator is written from the interfaces, so it can't repeat a mistake of the code it tests.
    { from: { path: '^simulator/' }, to: { pathNot: '^(src|scripts|__tests__)/' } },
    { from: { path: '^(scripts|__tests__)/' }, to: {} },
  ],
  allowedSeverity: 'error',
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // Earlier versions of src/, which long/mixed-versions extracts.
    exclude: { path: '^__tests__/\\.versions/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
