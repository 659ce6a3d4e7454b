import { parseConfig } from './config/parse.ts';
import { createDispatcher } from './http/dispatcher.ts';
import { systemClock } from './lib/clock.ts';
import { run } from './run.ts';
import { directoryProblem, diskFiles, fileProblem } from './runner/files.ts';
import { actionsRunner, maskSecret, readInputs, readTextFile } from './runner/runner.ts';
import { cancellation } from './runner/signals.ts';
import { createDocsService } from './service/client.ts';

/** The main phase: builds the real edges and plays one run; gives the exit code. */
export async function main(): Promise<0 | 1> {
  const raw = readInputs(process.env);
  maskSecret(raw['api-key'] ?? '');
  maskSecret(raw['github-token'] ?? '');
  const signal = cancellation();
  const dispatcher = createDispatcher();
  const exitCode = await run({
    runner: actionsRunner,
    readConfig: () =>
      parseConfig(raw, { now: systemClock.now, readFile: readTextFile, directoryProblem, fileProblem }),
    connect: (config, onEnd) => ({
      service: createDocsService({ ...config.service, clock: systemClock, dispatcher }),
      runner: actionsRunner,
      clock: systemClock,
      files: diskFiles,
      signal,
      onEnd,
    }),
  });
  await dispatcher.destroy();
  return exitCode;
}
