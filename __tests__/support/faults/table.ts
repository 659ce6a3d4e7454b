import { printTable } from '../cases.ts';
import type { FaultEnd } from './case.ts';

/** Counts what came of the cases of a fault matrix, and prints it. */
export class FaultTable {
  readonly #rows: (string | number)[][] = [];

  /** What is wrong with some cases, in full. */
  wrong(name: string, ended: readonly FaultEnd[]): readonly FaultEnd[] {
    const wrong = ended.filter(({ problems }) => problems.length > 0);
    const counts = Map.groupBy(ended, ({ end }) => end);
    const ends = [...counts].map(([end, { length }]) => `${end}: ${length}`).sort();
    this.#rows.push([name, ended.length, ended.length - wrong.length, ends.join(', ')]);
    return wrong;
  }

  print(title: string): void {
    printTable(title, [['faults', 'tried', 'as they should', 'ends'], ...this.#rows]);
  }
}
