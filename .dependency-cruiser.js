/*
 * Which imports are allowed, types included; scripts/check-structure.ts and `npx depcruise src` read it. Anything else in src/ is
 * an error, so a new folder needs a line here. pure.grit adds what an import's path can't tell.
 */

const shared = ['deps.ts', 'core', 'text'];
const edges = ['service', 'github', 'runner'];

/** What each folder of src/ may import besides itself: folders and files of src/, packages, modules of Node. All of it is used. */
const may = {
  text: [],
  core: ['text', 'zod', 'picomatch', 'node:crypto'],
  http: ['core', 'undici', 'node:zlib'],
  service: ['http', 'core', 'text', 'undici', 'zod'],
  github: ['http', 'core', 'text', 'undici', 'zod', '@actions/github'],
  runner: ['core', 'text', '@actions/core', 'node:fs', 'node:path'],
  'requests/card': ['core', 'text', ...edges, 'zod'],
  'requests/thread': ['deps.ts', 'core', 'github', 'requests/card'],
  'requests/follow': [
    ...shared,
    'service',
    'github',
    'requests/card',
    'requests/thread',
    'node:crypto',
  ],
  'requests/run': [
    ...shared,
    'service',
    'github',
    'requests/card',
    'requests/thread',
    'requests/follow',
  ],
  agent: [...shared, ...edges, 'requests', 'zod', 'node:crypto'],
  collect: [...shared, 'github', 'requests', 'zod'],
  visitors: [...shared, 'zod'],
  'visitors/read': [...shared, 'service', 'github', 'zod', 'temporal-polyfill'],
  'visitors/judge': ['core', 'text', 'service', 'visitors/read'],
  'visitors/write': [
    ...[...shared, 'service', 'github', 'visitors/read', 'visitors/judge'],
    ...['node:path', 'csv-stringify'],
  ],
};

/** The regular expression for a folder or file of src/, a package or a module of Node. */
function pathOf(place) {
  if (Object.keys(may).some((folder) => `${folder}/`.startsWith(`${place}/`)))
    return `^src/${place}/`;
  if (place.endsWith('.ts')) return `^src/${place}$`;
  return `^(node_modules/)?${place.replace('node:', '(node:)?')}(/|$)`;
}

/** The regular expression for the files that a folder's entry is about. A folder whose subfolders have entries is without them. */
function filesOf(folder) {
  const hasParts = Object.keys(may).some((place) => place.startsWith(`${folder}/`));
  return hasParts ? `^src/${folder}/[^/]+$` : pathOf(folder);
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    // check-structure.ts finds those of src/, together with circles of folders.
    { name: 'circle', severity: 'error', from: { pathNot: '^src/' }, to: { circular: true } },
  ],
  allowed: [
    ...Object.keys(may).map((folder) => ({
      from: { path: filesOf(folder) },
      to: { path: pathOf(folder) },
    })),
    ...Object.entries(may).flatMap(([folder, places]) =>
      // check-structure.ts reports a rule with a comment if nothing uses it.
      places.map((place) => ({
        comment: `src/${folder} → ${place}`,
        from: { path: filesOf(folder) },
        to: { path: pathOf(place) },
      })),
    ),
    { from: { path: '^src/core/clock.ts$' }, to: { path: pathOf('node:timers/promises') } },
    // main.ts and the few files next to it connect the parts.
    {
      from: { path: '^src/[^/]+$' },
      to: { path: ['^src/', ...['undici', 'zod', 'node:fs'].map(pathOf)] },
    },
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
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
