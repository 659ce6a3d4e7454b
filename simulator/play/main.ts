import { readPlayOptions, USAGE, UsageError } from './command-line.ts';
import { PlayProblem, playScene } from './scene.ts';

// Ctrl-C reaches the action too, as it has the terminal in common: the first one is left to it, so that its last words
// and its post phase are seen; the second ends everything.
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
