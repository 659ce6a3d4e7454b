import {
  type Finding,
  findingsOf,
  measureRun,
  median,
  print,
  withSimulator,
} from './bench-tools.ts';

/*
 * Measures a run on the merge of the largest pull request that GitHub lists. The bundle runs against the simulator, from the
 * push to the end of the job. Prints the CPU time and peak memory of the action's process.
 */

const files = 3_000;
const megabytesOfPatches = 20;
const linesPerFile = 100;
const rounds = 5;

/** Requests about the thread. They don't count, because their number doesn't depend on the change. */
const threadPath = /\/issues\/(?:\d+\/comments|comments\/\d+)/;

/** Runs the merge several times, and returns the medians with their limits. */
export async function benchChanges(): Promise<Finding[]> {
  const runs: Awaited<ReturnType<typeof playMerge>>[] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await playMerge());
  const what = `${files.toLocaleString('en')} files, ${megabytesOfPatches} MB of patches`;
  const requests = median(runs.map(({ requests }) => requests));
  const usages = runs.map(({ usage }) => usage);
  return [
    {
      what: `${what}: requests to GitHub about the change and its result`,
      value: `${requests}`,
      bar: '36',
    },
    ...findingsOf(what, usages, { cpu: '1.0 s', memory: '200 MB' }),
  ];
}

function playMerge() {
  return withSimulator('real', async (simulator) => {
    const { github, service, requests } = simulator;
    const { git, pullRequests } = github;
    service.script({ activeMs: 0 });
    const { sha: before } = git.commit();
    git.branch('change');
    const line = `${'x'.repeat(Math.ceil((megabytesOfPatches * 1e6) / files / linesPerFile) - 2)}\n`;
    const text = line.repeat(linesPerFile);
    const paths = Array.from(
      { length: files },
      (_, index) => `src/chapter-${index % 40}/page-${index}.ts`,
    );
    git.commit({ branch: 'change', files: Object.fromEntries(paths.map((path) => [path, text])) });
    pullRequests.merge(pullRequests.open({ head: 'change' }).number);

    const { run, usage } = await measureRun({
      simulator,
      event: github.pushEvent({ before }),
      inputs: { prompt: 'Bring the docs up to date.', context: 'thread\nchanges' },
    });
    const sent = service.jobs[0]?.prompts[0] ?? '';
    if (
      run.outputs.outcome !== 'pr-created' ||
      !sent.includes(`Files changed (${files.toLocaleString('en')})`)
    )
      throw new Error(`The pull request was not sent:\n${run.log}`);
    const forChanges = requests.filter(({ to, path }) => to === 'github' && !threadPath.test(path));
    return { usage, requests: forChanges.length };
  });
}

if (import.meta.main)
  print('A large pull request, from its merge to the end', await benchChanges());
