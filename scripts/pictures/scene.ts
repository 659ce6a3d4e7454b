import type { Shown } from '../../simulator/play/page.ts';

/** One page to look at. */
export interface Scene {
  readonly name: string;
  /** Whether the README shows it. */
  readonly isPicture?: true;
  readonly play: () => Promise<readonly Shown[]>;
}
