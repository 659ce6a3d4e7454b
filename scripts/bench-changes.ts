import {
  type Bench,
  findingsOf,
  measureRun,
  median,
  runBench,
  type Usage,
  withSimulator,
} from './bench-tools.ts';

/*
 * Measures a run on the merge of the largest pull request that GitHub lists. The bundle runs
 * against the simulator, from the push to the end of the job. Prints the CPU time and peak memory
 * of the action's process.
 */

const files = 3_000;
const megabytesOfPatches = 20;
const linesPerFile = 100;

/** Requests about the thread don't count, because their number doesn't depend on the change. */
const threadPath = /\/issues\/(?:\d+\/comments|comments\/\d+)/;

interface Merge {
  readonly usage: Usage;
  readonly requests: number;
}

export const largeMerge: Bench<Merge> = {
  title: 'A large pull request, from its merge to the end',
  rounds: 5,
  measure: playMerge,
  conclude(merges) {
    const what = `${files.toLocaleString('en')} files, ${megabytesOfPatches} MB of patches`;
    const requests = median(merges.map((merge) => merge.requests));
    const usages = merges.map((merge) => merge.usage);
    return [
      {
        what: `${what}: requests to GitHub about the change and its result`,
        value: `${requests}`,
        bar: '36',
      },
      ...findingsOf(what, usages, { cpu: '1.0 s', memory: '200 MB' }),
    ];
  },
};

function playMerge(distDir: string): Promise<Merge> {
  return withSimulator('real', async (simulator) => {
    const { github, service, requests } = simulator;
    const { git, pullRequests } = github;
    service.script({ activeMs: 0 });
    const { sha: before } = git.commit();
    git.branch('change');
    const bytesPerLine = Math.ceil((megabytesOfPatches * 1e6) / files / linesPerFile);
    const text = `${'x'.repeat(bytesPerLine - 2)}\n`.repeat(linesPerFile);
    const pages = Array.from({ length: files }, (_, index) => {
      return [`src/chapter-${index % 40}/page-${index}.ts`, text];
    });
    git.commit({ branch: 'change', files: Object.fromEntries(pages) });
    pullRequests.merge(pullRequests.open({ head: 'change' }).number);

    const { run, usage } = await measureRun({
      simulator,
      distDir,
      event: github.pushEvent({ before }),
      inputs: { prompt: 'Bring the docs up to date.', context: 'thread\nchanges' },
    });
    const prompt = service.jobs[0]?.prompts[0] ?? '';
    const isWhole = prompt.includes(`Files changed (${files.toLocaleString('en')})`);
    if (run.outputs.outcome !== 'pr-created' || !isWhole)
      throw new Error(`The pull request was not sent:\n${run.log}`);
    const forChange = requests.filter(({ to, path }) => to === 'github' && !threadPath.test(path));
    return { usage, requests: forChange.length };
  });
}

if (import.meta.main) await runBench(largeMerge);
