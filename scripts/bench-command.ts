import { type Bench, measureRun, runBench, type Usage, withSimulator } from './bench-tools.ts';

/* Counts how often a successful `/docs` run saves a state or sets an output. */

export const command: Bench<Usage> = {
  title: 'A command, from its comment to the pull request',
  rounds: 1,
  measure: playCommand,
  conclude: (usages) =>
    usages.map(({ writes }) => ({
      what: 'writes of state and outputs',
      value: `${writes}`,
      bar: '24',
    })),
};

/** The job takes one minute. */
function playCommand(distDir: string): Promise<Usage> {
  return withSimulator('simulated', async (simulator) => {
    const { github } = simulator;
    github.addThread({ number: 1 });
    const comment = github.comment('maintainer', 1, '/docs add a quickstart');
    const event = github.issueCommentEvent(comment);
    const { run, usage } = await measureRun({ simulator, distDir, event, inputs: {} });
    if (run.outputs.outcome !== 'pr-created')
      throw new Error(`The run made no pull request:\n${run.log}`);
    return usage;
  });
}

if (import.meta.main) await runBench(command);
