import { type Scrubbed, type ScrubbedAll, scrubAll } from '../../src/text/scrub.ts';

/** A text as it is, as if it had been scrubbed. */
export const plain = (text: string) => text as Scrubbed;

/** A value whose texts are as they are, as if they had been scrubbed. */
export const plainAll = <T>(value: T): ScrubbedAll<T> => scrubAll(structuredClone(value), plain);
