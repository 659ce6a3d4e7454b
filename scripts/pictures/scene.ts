import type { Shown } from '../../simulator/play/page.ts';

/** A page to render and check. */
export interface Scene {
  readonly name: string;
  /** Whether the docs show a picture of this page. */
  readonly isPicture?: true;
  /** The picture ends above the first element with this selector; by default, it shows the whole page. */
  readonly endsAbove?: string;
  /** The height that it should have on a phone, folded. It may be 10% more. */
  readonly maxHeight?: number;
  readonly play: () => Promise<readonly Shown[]>;
}
