import { printTable } from './crash-play.ts';
import { agentSubject, type FaultEnd, type Subject } from './faults-cases.ts';
import { followUp, promptWithThread, simpleCommand } from './faults-scenarios.ts';
import { report } from './report-faults.ts';

/** Every way to use the action, as the fault matrix plays it. */
export const subjects: readonly Subject[] = [
  ...[simpleCommand, followUp, promptWithThread].map(agentSubject),
  report,
];

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
