import type * as z from 'zod/mini';
import type { InputProblem } from '../errors.ts';

/** Inputs by name, as the runner passes them: untrimmed, and `''` if unset. */
export type RawInputs = Readonly<Record<string, string>>;

/** How each input of a mode is parsed, by name. action.yml says what they mean. */
export type Inputs = Readonly<Record<string, z.ZodMiniType>>;

/** What the inputs are checked against: the time, the event and the disk. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether the inputs must contain a prompt. A comment brings its own. */
  readonly needsPrompt: boolean;
  /**
   * Whether the person who started the run is checked before anything is sent to the agent. Until then, nothing they may have
   * caused, such as a file in a checkout, is treated as an error.
   */
  readonly checksAuthor: boolean;
  /** The text of a file, for `prompt-file`; throws if it can't be read. */
  readonly readFile: (path: string) => string;
  /** Why a directory can't be written to; `undefined` if it can. */
  readonly directoryProblem: (path: string) => string | undefined;
  /** How a symbolic link makes a path point outside the workspace; `undefined` if none does. */
  readonly linkProblem: (path: string) => string | undefined;
}

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Field<Name> = Name extends 'project-id' ? 'projects' : Camel<Name>;

/** The config of a mode: its name, and its input values under camel-case names. */
export type ConfigOf<Mode extends string, Of extends Inputs, Values = z.output<z.ZodMiniObject<Of>>> = {
  readonly mode: Mode;
} & { readonly [Name in keyof Values as Field<Name>]: Values[Name] };

/** The config field of an input. */
export function fieldOf(name: string): string {
  if (name === 'project-id') return 'projects';
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** What is wrong with the combination of inputs, and the fields made from several of them. */
export interface Checked {
  readonly problems: readonly InputProblem[];
  readonly fields?: object;
}

/** A bad value for a message: its first 80 characters, without the key or credentials in a URL. */
export function shown(value: string, apiKey: string | undefined): string {
  const bare = apiKey === undefined ? value : value.replaceAll(apiKey, '***');
  const safe = bare.replace(/(^[a-z][a-z0-9+.-]*:[\\/]*|\/\/)[^\\/?#]*@/gi, '$1***@');
  return safe.length <= 80 ? safe : `${safe.slice(0, 80)}…`;
}
