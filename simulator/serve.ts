import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from './index.ts';

/*
 * Serves the simulated service to other processes in real time, for at most ten minutes. Prints the inputs for a workflow
 * step as `name=value` lines for $GITHUB_OUTPUT.
 */
const longestMs = 600_000;
const jobMs = 12_000;

const simulator = await startSimulator({ clock: { mode: 'real' } });
simulator.service.script({ activeMs: jobMs });
const { url, service } = simulator;
console.log(`base-url=${url}\nproject-id=${service.projectId}\napi-key=${service.apiKey}`);
await sleep(longestMs);
await simulator.close();
