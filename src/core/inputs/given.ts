import type * as z from 'zod/mini';
import type { InputProblem } from '../errors.ts';

/** Inputs by name as the runner gives them: untrimmed, `''` for unset. */
export type RawInputs = Readonly<Record<string, string>>;

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
  /** What keeps a directory, or a file, from being written; `undefined` when nothing does. */
  readonly directoryProblem: (path: string) => string | undefined;
  readonly fileProblem: (path: string) => string | undefined;
}

/** Inputs whose value has a better name than theirs. */
const fieldNames = { 'project-id': 'projects' } as const;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Field<Name> = Name extends keyof typeof fieldNames
  ? (typeof fieldNames)[Name]
  : Camel<Extract<Name, string>>;
type Fields<Inputs> = { readonly [Name in keyof Inputs as Field<Name>]: Inputs[Name] };

/** The config of a mode: its name, and what its inputs came to, in camel case. */
export type ConfigOf<Mode extends string, Schema extends z.ZodMiniObject> = {
  readonly mode: Mode;
} & Fields<z.output<Schema>>;

/** The field of the config that an input goes into. */
export function fieldOf(name: string): string {
  const names: Readonly<Record<string, string>> = fieldNames;
  return names[name] ?? name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** What a mode checks once each input is read by itself. */
export interface ToCheck<Config> {
  /** The values of the inputs that are set and right, and the defaults of the unset. */
  readonly values: Partial<Config>;
  /** The inputs that are set, right or wrong, as text. */
  readonly given: RawInputs;
  readonly surroundings: Surroundings;
}

/** What came of that. */
export interface Checked<Config> {
  readonly problems: readonly InputProblem[];
  /** Fields that no input has by itself. */
  readonly fields?: Partial<Config>;
}
