/** What the files of one place may import besides each other. */
export interface ImportRule {
  /** A folder, ending in a slash, or one file. Where several rules fit a file, the longest one counts. */
  readonly files: string;
  /** Folders (ending in a slash), files, packages and modules of Node; anything where it is left out. */
  readonly may?: readonly string[];
  /** What they never import, not even its types. */
  readonly never?: readonly string[];
  /** Whether `may` holds for types as well. Elsewhere they are free: at run time nothing is left of them. */
  readonly typesToo?: true;
  /** Without a network, a timer, a process or a clock of its own: what it needs from outside is handed in. */
  readonly pure?: true;
}

/** Of an edge, a mode may know how it fails and what its answers look like; only main.ts builds one. */
const errorsAndShapes = ['src/service/errors.ts', 'src/service/schemas.ts', 'src/github/errors.ts'];
const partsOfConfig = ['src/config/missing.ts', 'src/config/permissions.ts', 'src/config/thread.ts'];

/** The arrows of the house. What is in src/ and not in here is an error, so that a new folder gets a line. */
export const rules: readonly ImportRule[] = [
  // The phases, and what ties the rest together.
  { files: 'src/index.ts', may: ['src/front-door.ts', 'src/main.ts'] },
  { files: 'src/post.ts', may: ['src/main.ts'] },
  { files: 'src/front-door.ts', may: ['src/agent/request/command.ts', 'node:fs'] },
  { files: 'src/main.ts', may: ['src/'] },
  {
    files: 'src/run.ts',
    may: ['src/lib/', 'src/agent/index.ts', 'src/visitors/index.ts', 'src/collect/index.ts'],
  },
  { files: 'src/deps.ts', may: [] },

  // The modes, and what they share.
  { files: 'src/lib/', may: ['zod/mini', 'node:crypto'], typesToo: true, pure: true },
  { files: 'src/lib/globs.ts', may: ['src/lib/', 'picomatch'], typesToo: true, pure: true },
  { files: 'src/lib/clock.ts', may: ['node:timers/promises'], typesToo: true },
  {
    files: 'src/config/',
    // What an alert rule or a date is, is said once, where it is used.
    may: [
      'src/lib/',
      'src/visitors/judge/alert-rules.ts',
      'src/visitors/read/period.ts',
      'src/visitors/read/period-kinds.ts',
      'zod/mini',
    ],
    pure: true,
  },
  {
    files: 'src/agent/',
    may: ['src/lib/', ...partsOfConfig, ...errorsAndShapes, 'zod/mini', 'node:crypto'],
    never: ['src/visitors/', 'src/collect/'],
    pure: true,
  },
  {
    // The words for what changed are told from what was read alone.
    files: 'src/agent/context/block/',
    may: ['src/lib/', 'src/github/changes.ts', 'src/agent/context/subject.ts', 'src/agent/context/paths.ts'],
    typesToo: true,
    pure: true,
  },
  {
    // It finishes what agent mode has left, in agent mode's own words.
    files: 'src/collect/',
    may: ['src/lib/', 'src/agent/', ...errorsAndShapes],
    never: ['src/visitors/'],
    pure: true,
  },
  {
    files: 'src/visitors/',
    may: [
      'src/lib/',
      ...partsOfConfig,
      ...errorsAndShapes,
      'zod/mini',
      'temporal-polyfill',
      'csv-stringify/sync',
      'node:crypto',
      'node:path/posix',
    ],
    never: ['src/agent/', 'src/collect/'],
    pure: true,
  },

  // The edges: no mode, and not each other; not even their types.
  { files: 'src/http/', may: ['src/lib/', 'undici', 'node:net', 'node:zlib'], typesToo: true },
  { files: 'src/runner/', may: ['src/lib/', '@actions/core', 'node:fs', 'node:path'], typesToo: true },
  { files: 'src/service/', may: ['src/lib/', 'src/http/', 'zod/mini', 'undici'], typesToo: true },
  {
    files: 'src/github/',
    may: ['src/lib/', 'src/http/', 'zod/mini', 'undici', '@actions/github'],
    typesToo: true,
  },

  // Written from the interfaces, so that it cannot share a mistake with what it judges.
  { files: 'simulator/', never: ['src/', 'scripts/', '__tests__/'] },
];
