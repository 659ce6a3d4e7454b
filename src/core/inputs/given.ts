import type * as z from 'zod/mini';
import type { InputProblem } from '../errors.ts';

/** Inputs by name as the runner gives them: untrimmed, `''` for unset. */
export type RawInputs = Readonly<Record<string, string>>;

/** How the text of each input of a mode is read, by name. What they mean is in action.yml. */
export type Inputs = Readonly<Record<string, z.ZodMiniType>>;

/** What the inputs are checked against: the time, the event and the disk. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether the inputs have to say what to ask: a comment says it itself. */
  readonly needsPrompt: boolean;
  /**
   * Whether the person who started the run is checked before anything is asked. Until then nothing that may be theirs, such as
   * a file of a checkout, ends the run as an error.
   */
  readonly judgesAuthor: boolean;
  /** The text of a file, for `prompt-file`; throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** What keeps a directory from being written; `undefined` when nothing does. */
  readonly directoryProblem: (path: string) => string | undefined;
  /** Whether a link leads a path out of the workspace, in words; `undefined` when none does. */
  readonly linkProblem: (path: string) => string | undefined;
}

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Field<Name> = Name extends 'project-id' ? 'projects' : Camel<Name>;

/** The config of a mode: its name, and the values of its inputs in camel case. */
export type ConfigOf<Mode extends string, Of extends Inputs, Values = z.output<z.ZodMiniObject<Of>>> = {
  readonly mode: Mode;
} & { readonly [Name in keyof Values as Field<Name>]: Values[Name] };

/** The field of the config that an input goes into. */
export function fieldOf(name: string): string {
  if (name === 'project-id') return 'projects';
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** What is wrong with the inputs together, and the fields that need several of them. */
export interface Checked {
  readonly problems: readonly InputProblem[];
  readonly fields?: object;
}

/** A bad value for a message: its first 80 characters, without the key and without credentials in an address. */
export function shown(value: string, apiKey: string | undefined): string {
  const bare = apiKey === undefined ? value : value.replaceAll(apiKey, '***');
  const safe = bare.replace(/(^[a-z][a-z0-9+.-]*:[\\/]*|\/\/)[^\\/?#]*@/gi, '$1***@');
  return safe.length <= 80 ? safe : `${safe.slice(0, 80)}…`;
}
