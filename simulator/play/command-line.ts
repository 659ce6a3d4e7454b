import { parseArgs } from 'node:util';

export const USAGE = `Runs the action on this machine, as GitHub's runner would.

  npm start                                a /docs comment on an issue, against a simulated service
  npm start -- --comment "/docs …"         your own comment; repeat it for a follow-up in the same thread
  npm start -- --stranger                  a /docs comment by someone without write access
  npm start -- --prompt "…"                a manual run with a prompt
  npm start -- --failed                    a job that fails, and what you do then
  npm start -- --change                    a merged pull request: the agent gets what changed
  npm start -- --visitors                  the weekly report of a site with about 1,200 pages
  npm start -- --visitors --projects 5     one report of several sites
  npm start -- --visitors --gaps           … with what readers did not find
  npm start -- --visitors --out report.md  the same as a file
  npm start -- --visitors --out page.html  … styled like GitHub; first, and only once, run
                                           "npm ci --prefix scripts/pictures"

Add --verbose to see the log, the outputs, and everything that is collapsed.

To use the real service, in real time, with a simulated GitHub:

  DOCS_API_KEY=… npm start -- --base-url https://… --project-id … [one of the above]
`;

const KEY_VARIABLE = 'DOCS_API_KEY';
const DEFAULT_COMMENT = '/docs add a quickstart for the Python SDK';

const FLAGS = {
  prompt: { type: 'string' },
  comment: { type: 'string', multiple: true },
  stranger: { type: 'boolean' },
  failed: { type: 'boolean' },
  change: { type: 'boolean' },
  visitors: { type: 'boolean' },
  out: { type: 'string' },
  projects: { type: 'string' },
  gaps: { type: 'boolean' },
  'base-url': { type: 'string' },
  'project-id': { type: 'string' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** What `npm start` shows. */
export type Scene =
  | { readonly kind: 'prompt'; readonly prompt: string }
  | { readonly kind: 'comments'; readonly comments: readonly string[] }
  | { readonly kind: 'stranger'; readonly comment: string }
  | { readonly kind: 'failed'; readonly comment: string }
  | { readonly kind: 'change' }
  /** `out` is the Markdown or HTML file for the report; `undefined` prints it. `projects` is the number of sites. */
  | Readonly<{ kind: 'visitors'; out: string | undefined; projects: number; gaps?: boolean }>;

/** The real service, to use instead of the simulated one. */
type RealService = Readonly<Record<'baseUrl' | 'projectId' | 'apiKey', string>>;

export interface PlayOptions {
  readonly scene: Scene;
  readonly service: RealService | undefined;
  readonly isVerbose: boolean;
}

/** An invalid command line. The message says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Parses the command line. Returns `undefined` if it asks for help. */
export function readPlayOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): PlayOptions | undefined {
  refuseLostFlags(args, env);
  const flags = parse(args);
  if (flags.help === true) return undefined;
  return {
    scene: sceneOf(flags),
    service: serviceOf(flags, env),
    isVerbose: flags.verbose === true,
  };
}

type Flags = ReturnType<typeof parse>;

/** npm keeps a flag without `--` before it for itself, and passes it on only in the environment. */
function refuseLostFlags(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): void {
  const lost = [
    'visitors',
    'failed',
    'change',
    'stranger',
    'gaps',
    'projects',
    'prompt',
    'comment',
  ];
  const flag = lost.find((name) => env[`npm_config_${name}`] !== undefined);
  if (flag !== undefined && !args.includes(`--${flag}`))
    throw new UsageError(`npm kept --${flag} for itself. Put -- before it: npm start -- --${flag}`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      message.replace(
        /^.*Unknown option '(--[^']*)'.*/s,
        'There is no $1. See "npm start -- --help".',
      ),
    );
  }
}

function sceneOf(flags: Flags): Scene {
  const {
    prompt,
    comment,
    stranger,
    failed,
    change,
    visitors,
    out,
    projects = '1',
    gaps,
    ...service
  } = flags;
  const scenes = { prompt, comment, stranger, failed, change, visitors };
  const chosen = Object.values(scenes).filter((flag) => flag !== undefined);
  if (chosen.length > 1) {
    const names = Object.keys(scenes).map((name) => `--${name}`);
    throw new UsageError(`Choose one of ${names.join(', ')}.`);
  }
  if (failed === true && service['project-id'] !== undefined)
    throw new UsageError('--failed needs the simulated service.');
  if (out !== undefined && visitors !== true) throw new UsageError('--out needs --visitors.');
  if (gaps === true && visitors !== true) throw new UsageError('--gaps needs --visitors.');
  if (!/^([1-9]|1\d|20)$/.test(projects))
    throw new UsageError('--projects needs a number from 1 to 20.');
  if (projects !== '1' && (visitors !== true || service['project-id'] !== undefined))
    throw new UsageError('--projects needs --visitors and the simulated service.');
  if (out !== undefined && !/\.(md|html)$/.test(out))
    throw new UsageError('--out needs a file name that ends in .md or .html.');
  if (prompt !== undefined) return { kind: 'prompt', prompt };
  if (failed === true) return { kind: 'failed', comment: DEFAULT_COMMENT };
  if (stranger === true) return { kind: 'stranger', comment: DEFAULT_COMMENT };
  if (change === true) return { kind: 'change' };
  if (visitors === true)
    return { kind: 'visitors', out, projects: Number(projects), ...(gaps ? { gaps } : {}) };
  return { kind: 'comments', comments: comment ?? [DEFAULT_COMMENT] };
}

function serviceOf(
  { 'base-url': baseUrl, 'project-id': projectId }: Flags,
  env: Readonly<Record<string, string | undefined>>,
): RealService | undefined {
  if (baseUrl === undefined && projectId === undefined) return undefined;
  const apiKey = env[KEY_VARIABLE] ?? '';
  if (baseUrl === undefined || projectId === undefined) {
    throw new UsageError('The real service needs both --base-url and --project-id.');
  }
  if (apiKey === '')
    throw new UsageError(
      `The real service needs its key: set the environment variable ${KEY_VARIABLE}.`,
    );
  return { baseUrl, projectId, apiKey };
}
