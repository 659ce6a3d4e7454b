import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from './index.ts';

/*
 * Serves the simulated service to other processes, in real time, until it is stopped or ten minutes have passed. Prints what a
 * step needs to reach it as `name=value` lines for $GITHUB_OUTPUT.
 */
const longestMs = 600_000;
const jobMs = 12_000;

const simulator = await startSimulator({ clock: { mode: 'real' } });
simulator.service.script({ activeMs: jobMs });
const { url, service } = simulator;
console.log(`base-url=${url}\nproject-id=${service.projectId}\napi-key=${service.apiKey}`);
await sleep(longestMs);
await simulator.close();
