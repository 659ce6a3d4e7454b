import { type Finding, measureRun, print, withSimulator } from './bench-tools.ts';

/* Counts how often a successful `/docs` run saves a state or sets an output. Its job takes one minute. */

export function benchCommand(): Promise<Finding[]> {
  return withSimulator('simulated', async (simulator) => {
    const { github } = simulator;
    github.addThread({ number: 1 });
    const event = github.issueCommentEvent(
      github.comment('maintainer', 1, '/docs add a quickstart'),
    );
    const { run, usage } = await measureRun({ simulator, event, inputs: {} });
    if (run.outputs.outcome !== 'pr-created')
      throw new Error(`The run made no pull request:\n${run.log}`);
    return [{ what: 'writes of state and outputs', value: `${usage.writes}`, bar: '24' }];
  });
}

if (import.meta.main)
  print('A command, from its comment to the pull request', await benchCommand());
