import type { Shown } from '../../simulator/play/page.ts';

/** A page to render and check. */
export interface Scene {
  readonly name: string;
  /** Whether the docs show a picture of this page. */
  readonly isPicture?: true;
  readonly play: () => Promise<readonly Shown[]>;
}
