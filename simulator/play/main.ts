import { readPlayOptions, USAGE, UsageError } from './command-line.ts';
import { PlayProblem, playScene } from './scene.ts';

// The terminal also sends Ctrl-C to the action. Ignore the first one here, so that you can see how the action ends. The
// second one ends this process, too.
process.once('SIGINT', () => undefined);

const print = (text: string): void => void process.stdout.write(text);

try {
  const options = readPlayOptions(process.argv.slice(2), process.env);
  if (options === undefined) print(USAGE);
  else process.exitCode = await playScene(options, print);
} catch (error) {
  if (!(error instanceof UsageError || error instanceof PlayProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
