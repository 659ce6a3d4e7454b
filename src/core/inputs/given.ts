import type * as z from 'zod/mini';
import type { InputProblem } from '../errors.ts';

/** Inputs by name, as the runner passes them. Values are not trimmed, and an unset input is `''`. */
export type RawInputs = Readonly<Record<string, string>>;

/** The schemas of a mode's inputs, by name. action.yml describes each input. */
export type Inputs = Readonly<Record<string, z.ZodMiniType>>;

/** What the inputs are checked against: the time, the event, and the disk. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether the inputs must contain a prompt. On a comment event, the comment may contain the prompt instead. */
  readonly needsPrompt: boolean;
  /** Returns the text of `prompt-file`; throws if the file can't be read. */
  readonly readFile: (path: string) => string;
  /** Why a directory isn't writable; `undefined` if it is writable. */
  readonly directoryProblem: (path: string) => string | undefined;
  /** Why a path isn't allowed, such as a symbolic link that leads out of the workspace; `undefined` if it is allowed. */
  readonly linkProblem: (path: string) => string | undefined;
}

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Field<Name> = Name extends 'project-id' ? 'projects' : Camel<Name>;

/** The config of a mode: the name of the mode, and the values of its inputs under camel-case names. */
export type ConfigOf<Mode extends string, Of extends Inputs, Values = z.output<z.ZodMiniObject<Of>>> = {
  readonly mode: Mode;
} & { readonly [Name in keyof Values as Field<Name>]: Values[Name] };

/** The name of an input's field in the config. */
export function fieldOf(name: string): string {
  if (name === 'project-id') return 'projects';
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** What is wrong with the inputs in combination, and the config fields that depend on several inputs. */
export interface Checked {
  readonly problems: readonly InputProblem[];
  readonly fields?: object;
}

/** How an error message shows a bad value: the first 80 characters, without the credentials in a URL. */
export function shown(value: string): string {
  const safe = value.replace(/(^[a-z][a-z0-9+.-]*:[\\/]*|\/\/)[^\\/?#]*@/gi, '$1***@');
  return safe.length <= 80 ? safe : `${safe.slice(0, 80)}…`;
}
