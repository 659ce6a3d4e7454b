import { serviceInputs } from '../__tests__/support/usual.ts';
import { startSimulator } from '../simulator/index.ts';
import { type Finding, measureRun, print } from './bench-tools.ts';

/* How often a successful `/docs` run saves a state or sets an output. The bundle follows a one-minute job to its end. */

export async function benchCommand(): Promise<Finding[]> {
  const simulator = await startSimulator();
  try {
    const { github } = simulator;
    github.addThread({ number: 1 });
    const event = github.issueCommentEvent(github.comment('maintainer', 1, '/docs add a quickstart'));
    const { run, usage } = await measureRun({ simulator, event, inputs: serviceInputs(simulator) });
    if (run.outputs.outcome !== 'pr-created') throw new Error(`The run made no pull request:\n${run.log}`);
    return [{ what: 'writes of state and outputs', value: `${usage.writes}`, bar: '24' }];
  } finally {
    await simulator.close();
  }
}

if (import.meta.main) print('A command, from its comment to the pull request', await benchCommand());
