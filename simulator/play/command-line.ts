import { parseArgs } from 'node:util';

export const USAGE = `Plays the action on this machine, as GitHub's runner would run it.

  npm start                                a prompt, against a simulated service
  npm start -- --prompt "…"                a prompt of your own
  npm start -- --comment "/docs …"         a comment in a thread
  npm start -- --comment "/docs …" --comment "/docs …"   … and a follow-up in the same thread
  npm start -- --change                    a pull request is merged: the agent gets what changed
  npm start -- --visitors                  the weekly report of a site of some 1,200 pages, in its eighth week
  npm start -- --visitors --projects 5     one report of several sites
  npm start -- --visitors --out report.md  the same as a file: Markdown, or as GitHub shows it (report.html,
                                           which takes "npm ci --prefix scripts/pictures" once)

Against the real service, in real time (GitHub stays simulated):

  DOCS_AGENT_API_KEY=… npm start -- --base-url https://… --project-id … [one of the above]
`;

export const KEY_VARIABLE = 'DOCS_AGENT_API_KEY';
const DEFAULT_PROMPT = 'Add a quickstart for the Python SDK.';

/** What is played. */
export type Scene =
  | { readonly kind: 'prompt'; readonly prompt: string }
  | { readonly kind: 'comments'; readonly comments: readonly string[] }
  | { readonly kind: 'change' }
  /** `out` is a file to write the report to, Markdown or HTML; `undefined` for the terminal. `projects` is how many there are. */
  | { readonly kind: 'visitors'; readonly out: string | undefined; readonly projects: number };

/** The real service, where one is to be asked instead of the simulated one. */
export interface RealService {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly apiKey: string;
}

export interface PlayOptions {
  readonly scene: Scene;
  readonly service: RealService | undefined;
}

/** A wrong command line; its message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads the command line; `undefined` where help was asked for. */
export function readPlayOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): PlayOptions | undefined {
  const flags = parse(args);
  if (flags.help === true) return undefined;
  return { scene: sceneOf(flags), service: serviceOf(flags, env) };
}

type Flags = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        prompt: { type: 'string' },
        comment: { type: 'string', multiple: true },
        change: { type: 'boolean' },
        visitors: { type: 'boolean' },
        out: { type: 'string' },
        projects: { type: 'string' },
        'base-url': { type: 'string' },
        'project-id': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function sceneOf({ prompt, comment, change, visitors, out, projects = '1', ...service }: Flags): Scene {
  const chosen = [prompt, comment, change, visitors].filter((flag) => flag !== undefined).length;
  if (chosen > 1) throw new UsageError('Choose one of --prompt, --comment, --change and --visitors.');
  if (out !== undefined && visitors !== true) throw new UsageError('--out is for --visitors.');
  if (!/^([1-9]|1\d|20)$/.test(projects)) throw new UsageError('--projects takes a number from 1 to 20.');
  if (projects !== '1' && (visitors !== true || service['project-id'] !== undefined))
    throw new UsageError('--projects is for --visitors of the simulated service.');
  if (out !== undefined && !/\.(md|html)$/.test(out))
    throw new UsageError('--out takes a name that ends in .md or .html.');
  if (comment !== undefined) return { kind: 'comments', comments: comment };
  if (change === true) return { kind: 'change' };
  if (visitors === true) return { kind: 'visitors', out, projects: Number(projects) };
  return { kind: 'prompt', prompt: prompt ?? DEFAULT_PROMPT };
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
    throw new UsageError(`The real service needs its key in the environment: ${KEY_VARIABLE}.`);
  return { baseUrl, projectId, apiKey };
}
