import { startSimulator } from '../simulator/index.ts';
import { type Finding, findingsOf, measureRun, median, print, type Usage } from './bench-tools.ts';

/*
 * Measures the largest pull request that GitHub lists: plays the bundle on its merge against the simulator, from the push to
 * the end of the job, and prints the CPU time and the peak memory of the action's process.
 */

const files = 3_000;
const megabytesOfPatches = 20;
const linesPerFile = 100;
const rounds = 5;

/** What the thread costs, whatever the request is about: reading it, writing in it, and finding out who writes our comments. */
const threadPath = /\/issues\/(?:\d+\/comments|comments\/\d+)/;

/** Plays it several times; returns the medians and their limits. */
export async function benchChanges(): Promise<Finding[]> {
  const rides: Ride[] = [];
  for (let round = 0; round < rounds; round += 1) rides.push(await playMerge());
  const what = `${files.toLocaleString('en')} files, ${megabytesOfPatches} MB of patches`;
  const requests = median(rides.map(({ requests }) => requests));
  const usages = rides.map(({ usage }) => usage);
  return [
    {
      what: `${what}: requests to GitHub for what changed, and a look at the result`,
      value: `${requests}`,
      bar: '36',
    },
    ...findingsOf(what, usages, { cpu: '1.0 s', memory: '200 MB' }),
  ];
}

interface Ride {
  readonly usage: Usage;
  readonly requests: number;
}

async function playMerge(): Promise<Ride> {
  const simulator = await startSimulator({ clock: { mode: 'real' } });
  try {
    const { github, service, requests } = simulator;
    const { git, pullRequests } = github;
    service.script({ activeMs: 0 });
    const { sha: before } = git.commit();
    git.branch('change');
    const line = `${'x'.repeat(Math.ceil((megabytesOfPatches * 1e6) / files / linesPerFile) - 2)}\n`;
    const text = line.repeat(linesPerFile);
    const paths = Array.from({ length: files }, (_, index) => `src/chapter-${index % 40}/page-${index}.ts`);
    git.commit({ branch: 'change', files: Object.fromEntries(paths.map((path) => [path, text])) });
    pullRequests.merge(pullRequests.open({ head: 'change' }).number);

    const { run, usage } = await measureRun({
      simulator,
      event: github.pushEvent({ before }),
      inputs: {
        'base-url': simulator.url,
        'project-id': service.projectId,
        'api-key': service.apiKey,
        prompt: 'Bring the docs up to date.',
        context: 'thread\nchanges',
      },
    });
    const sent = service.jobs[0]?.prompts[0] ?? '';
    if (
      run.outputs.outcome !== 'pr-created' ||
      !sent.includes(`Files changed (${files.toLocaleString('en')})`)
    )
      throw new Error(`The pull request was not sent:\n${run.log}`);
    const forChanges = requests.filter(({ to, path }) => to === 'github' && !threadPath.test(path));
    return { usage, requests: forChanges.length };
  } finally {
    await simulator.close();
  }
}

if (import.meta.main) print('A large pull request, from its merge to the end', await benchChanges());
