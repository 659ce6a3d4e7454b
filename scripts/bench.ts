import { largeMerge } from './bench-changes.ts';
import { collectMany, leaveRequest } from './bench-collect.ts';
import { command } from './bench-command.ts';
import { startup } from './bench-startup.ts';
import { runBench } from './bench-tools.ts';
import { fullHistory, manyPages, newHistory } from './bench-visitors.ts';

/*
 * `npm run bench` measures the time, size, and memory of the committed bundle. It never fails,
 * because on a busy machine, the numbers mostly show the load. For a comparison in the same
 * minutes, `npm run bench -- --beside <folder>` also measures the bundle of another checkout.
 */

await runBench(startup);
await runBench(command);
await runBench(newHistory);
await runBench(fullHistory);
await runBench(manyPages);
await runBench(largeMerge);
await runBench(leaveRequest);
await runBench(collectMany);
