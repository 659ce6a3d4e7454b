import { readPlayOptions, USAGE, UsageError } from './command-line.ts';
import { PlayProblem, playScene } from './scene.ts';

// The terminal sends Ctrl-C to the action as well. The first one is left to the action, so that its end and its post phase
// can be seen; the second one ends this process too.
process.once('SIGINT', () => undefined);

const print = (text: string): void => void process.stdout.write(text);

try {
  const options = readPlayOptions(process.argv.slice(2), process.env);
  if (options === undefined) print(USAGE);
  else process.exitCode = await playScene(options, print);
} catch (error) {
  if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${USAGE}`);
  else if (error instanceof PlayProblem) process.stderr.write(`${error.message}\n`);
  else throw error;
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
