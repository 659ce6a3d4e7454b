import { createGitHub } from '../src/github/client.ts';
import { createDispatcher } from '../src/http/dispatcher.ts';
import { systemClock } from '../src/lib/clock.ts';

/** What one reading came to. */
export interface Reading {
  readonly files: number;
  readonly patchBytes: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/*
 * Reads a pull request with its files, its head before and after, as a run does that tells the agent what changed; prints
 * what that cost as JSON. For bench-changes.ts.
 */

const [apiUrl = '', token = '', number = ''] = process.argv.slice(2);
const dispatcher = createDispatcher();
const repository = 'octo-org/docs';
const github = createGitHub({
  apiUrl,
  token,
  repository,
  clock: systemClock,
  dispatcher,
  scrub: (text) => text,
});
const { signal } = new AbortController();

const pullRequest = await github.readPullRequest(Number(number), signal);
if (pullRequest === undefined) throw new Error(`There is no pull request ${number}`);
const { files } = await github.readPullRequestFiles(pullRequest, signal);
await github.readPullRequest(Number(number), signal);
await dispatcher.destroy();

const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const reading: Reading = {
  files: files.length,
  patchBytes: files.reduce((sum, { patch = '' }) => sum + patch.length, 0),
  cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
  peakMegabytes: (maxRSS * 1024) / 1e6,
};
console.log(JSON.stringify(reading));
