import type { Scrub } from '../../lib/scrub.ts';
import type { LeftOut } from './left-out.ts';
import type { FileFilter } from './paths.ts';
import type { Subject } from './subject.ts';

export interface BlockOptions {
  /** Most that may be added to the prompt, in bytes of UTF-8; at least `leastLimitBytes`. */
  readonly limitBytes: number;
  /** The files whose patches are for the agent. */
  readonly isChosen: FileFilter;
  /** Takes the key and the token out of what comes from GitHub. */
  readonly scrub: Scrub;
  /** A new random token at each call: what nobody who wrote the data could know. */
  readonly makeToken: () => string;
  /** `false` for the second try, when the service refused the prompt for its size. */
  readonly withPatches: boolean;
}

/** A prompt as it is sent, and what it lacks. */
export interface PromptWithData {
  readonly prompt: string;
  readonly leftOut: LeftOut;
}

/** The prompt, exactly as it is, and behind it what it is about: data from GitHub between two lines that nothing in it can forge. */
export declare function promptWithData(
  prompt: string,
  subject: Subject,
  options: BlockOptions,
): PromptWithData;
