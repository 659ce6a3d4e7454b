import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { onBundle } from '../bundle/player.ts';
import { endOf } from '../played.ts';
import { routes } from '../routes.ts';
import type { CaseEnd } from './matrix.ts';
import { reportSubject } from './report.ts';

const killPreload = new URL('../bundle/kill-preload.mjs', import.meta.url).href;

/** Kills the run at the nth file of the report: while writing it, or before renaming it. */
export interface WritePoint {
  readonly step: 'write' | 'rename';
  readonly file: number;
  /** The first page of visitors that is lost with the file. */
  readonly page: number;
}

/** Kills a report run while it writes a file, runs post, and then runs the report again. */
export function playKilledWrite({ step, file, page }: WritePoint): Promise<CaseEnd> {
  const name = `${step} ${file}`;
  return onBundle(async (player) => {
    const { run, judge, judgeNext } = await reportSubject.stage(player);
    // This NODE_OPTIONS replaces the preload of the simulated clock, so the run uses real time.
    const env = { NODE_OPTIONS: `--import=${killPreload}`, KILL_AT: name };
    const main = await player.play(run, { env });
    const unnamed = [...player.files.all().keys()].filter((path) => path.endsWith('.tmp'));
    if (unnamed.length !== 1) throw new Error(`Killed at ${name} there is ${unnamed} without a name`);
    // Nothing reads the leftover temporary file, so it isn't a problem.
    for (const path of unnamed) rmSync(join(player.workspace, path));
    const { env: _, ...options } = main.options;
    const { summary } = await player.post({ ...main, options });
    const mishap = { kind: 'kill', phase: 'arrived', isPostRun: true } as const;
    const met = { at: routes.readVisitors, nth: page, mishap };
    const problems = judge({ played: { ...main, summary }, isOver: true }, met);
    const next = await player.play({ ...run, attempt: 2 });
    problems.push(...judgeNext(next, met), ...player.core.violations);
    return { name, end: endOf(main), next: endOf(next), problems };
  });
}
