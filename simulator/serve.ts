import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from './index.ts';

// Serves the simulated service in real time, for at most ten minutes, and prints the inputs that a workflow step needs.
const maxMs = 600_000;
const jobMs = 12_000;

const simulator = await startSimulator({ clock: { mode: 'real' } });
simulator.service.script({ activeMs: jobMs });
const { url, service } = simulator;
console.log(`base-url=${url}\nproject-id=${service.projectId}\napi-key=${service.apiKey}`);
await sleep(maxMs);
await simulator.close();
