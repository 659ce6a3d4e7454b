/** Inputs by name as the runner gives them: untrimmed, `''` for unset. */
export type RawInputs = Readonly<Record<string, string>>;

/** What the inputs are checked against: the time, the event and the disk. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether the inputs have to say what to ask: a comment says it itself. */
  readonly needsPrompt: boolean;
  /**
   * Whether whoever started the run is judged before anything is asked. Until then nothing that may be theirs, such as a file
   * of a checkout, ends the run as an error.
   */
  readonly judgesAuthor: boolean;
  /** The text of a file, for `prompt-file`; throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** What keeps a directory, or a file, from being written; `undefined` when nothing does. */
  readonly directoryProblem: (path: string) => string | undefined;
  readonly fileProblem: (path: string) => string | undefined;
}
