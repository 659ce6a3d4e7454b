import { isDeepStrictEqual } from 'node:util';

import type { SimulatorCore } from '../../../simulator/core.ts';
import { memoryPlayer } from '../in-process/player.ts';
import { endOf, leaks, type Played, type Player } from '../played.ts';
import { earlierLines, historyFile, maxRequests, reportDir, stageReport } from '../scenarios/report.ts';

/** A run without faults, and the files that it wrote. */
interface Truth {
  readonly played: Played;
  readonly files: ReadonlyMap<string, string>;
}

const truths = new Map<number, Promise<Truth>>();

/** Returns a run without faults that was created at the given time. Many cases share this run, so it happens only once. */
function truthAt(startMs: number): Promise<Truth> {
  const play = async (): Promise<Truth> => {
    const player = memoryPlayer({ clock: { start: startMs } });
    const played = await player.play(stageReport(player));
    if (endOf(played) !== whole) throw new Error(`Without a fault it ends as ${endOf(played)}`);
    return { played, files: player.files.all() };
  };
  const known = truths.get(startMs) ?? play();
  truths.set(startMs, known);
  return known;
}

const whole = 'reported (complete)';

/** Checks consecutive runs of a report, and lists what is untrue or broken. */
export async function reportJudge({ core, files }: Player) {
  const truth = await truthAt(core.clock.startMs);
  const served = () => core.requests.filter(({ to }) => to === 'service').length;
  let [before, asked] = [served(), 0];
  const run = (played: Played): string[] => {
    asked = served() - before;
    before = served();
    const left = { played, files: files.all(), histories: files.versions(historyFile), asked };
    return reportUntruths(core, left, truth);
  };
  /** Checks a re-run after a failed run. It must produce the complete report. */
  const next = (played: Played): string[] => {
    const end = endOf(played);
    return [...run(played), ...(end === whole ? [] : [`ends as ${end}`])].map(
      (problem) => `re-run: ${problem}`,
    );
  };
  /** `asked` is the number of requests that the last checked run sent to the service. */
  return { run, next, asked: () => asked };
}

/** A finished run of the report, and the files after it. */
interface ReportLeft {
  readonly played: Played;
  readonly files: ReadonlyMap<string, string>;
  /** The known versions of the history file, oldest first. */
  readonly histories: readonly string[];
  /** The number of requests that this run sent to the service. */
  readonly asked: number;
}

interface WindowFile {
  readonly start: string;
  readonly complete: boolean;
  readonly totals: object;
  readonly pages: readonly { readonly path: string }[];
}

interface JsonFile {
  readonly period: WindowFile;
  readonly before: WindowFile | null;
}

/** Lists what is untrue or broken after a run of the report. */
function reportUntruths(core: SimulatorCore, left: ReportLeft, truth: Truth): string[] {
  const { played, files, asked } = left;
  const { outcome, reason, result } = played.outputs;
  const problems = [
    ...leaks(core, { ...played, printed: [played.printed, ...files.values()].join('\n') }),
    ...brokenHistory(left, truth),
  ];
  if (asked > maxRequests) problems.push(`${asked} requests`);
  for (const path of files.keys())
    if (!truth.files.has(path)) problems.push(`${path} isn't a file of the report`);
  if (outcome === 'reported') return [...problems, ...falseReport(left, truth)];
  const written = reportFiles(files);
  // A killed run may leave some of its files, but only complete ones.
  if (reason === 'interrupted') return [...problems, ...brokenFiles(files, truth)];
  if (written.length > 0) problems.push(`${outcome} (${reason}), and there is ${written}`);
  if (reason !== 'cancelled' && result !== undefined) problems.push(...silentFailure(played));
  return problems;
}

/** The paths of the report's files, without the history. */
function reportFiles(files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].filter((path) => path.startsWith(`${reportDir}/`));
}

/** The files that differ from those of a run without faults. */
function brokenFiles(files: ReadonlyMap<string, string>, truth: Truth): string[] {
  return reportFiles(files)
    .filter((path) => files.get(path) !== truth.files.get(path))
    .map((path) => `${path} is incomplete`);
}

function falseReport({ played, files, asked }: ReportLeft, truth: Truth): string[] {
  const { outputs, summary } = played;
  const problems: string[] = [];
  const expect = (isTrue: boolean, problem: string): void => void (isTrue || problems.push(problem));
  const jsonIn = ({ files }: Pick<Truth, 'files'>): JsonFile =>
    JSON.parse(files.get(outputs['json-file'] ?? '') ?? '{}');
  const [{ period: window, before }, real] = [jsonIn({ files }), jsonIn(truth)];
  const complete = window.complete && before?.complete === true;
  expect(outputs.complete === `${complete}`, `says complete: ${outputs.complete}`);
  expect(outputs.reason === (complete ? 'complete' : 'incomplete'), `says ${outputs.reason}`);
  expect(outputs['requests-used'] === `${asked}`, `says ${outputs['requests-used']} requests, not ${asked}`);
  expect(
    files.get(outputs['report-file'] ?? '')?.trimEnd() === summary.trimEnd(),
    'the summary is not the file',
  );
  if (complete) return [...problems, ...brokenFiles(files, truth)];
  expect(isBeginningOf(window, real.period), 'the window is not what the service has');
  expect(before === null || isBeginningOf(before, real.before), 'the window before is not what there was');
  const change = before === null ? '' : truth.played.outputs['change-percent'];
  expect(outputs['change-percent'] === change, `says ${outputs['change-percent']}% instead of ${change}`);
  for (const text of ['> [!WARNING]\n> **', 'Complete: no.', `Pages read: ${window.pages.length}.`])
    expect(summary.includes(text), `the summary does not say "${text}"`);
  expect(!/New pages|Pages no longer visited/.test(summary), 'the summary lists new or vanished pages');
  return problems;
}

/** Checks that the log and the summary explain an error and say what to do, and that the run reports no figures. */
function silentFailure({ outputs, summary, printed }: Played): string[] {
  const { error = '' } = JSON.parse(outputs.result ?? '{}') as { error?: string };
  const [what = '', hint = ''] = error.split('\n');
  const isExplained = printed.includes(what) && [summary, printed].every((text) => text.includes(hint));
  const isFigured = outputs.total !== undefined || summary.includes('## Docs visitors');
  return [
    ...(what !== '' && hint !== '' && isExplained ? [] : [`no reason and hint, only ${error}`]),
    ...(isFigured ? ['a failed run reports figures'] : []),
  ];
}

/** Checks that the history file keeps every earlier line, and that each window marked as complete is complete. */
function brokenHistory({ histories }: ReportLeft, truth: Truth): string[] {
  const real = truth.files.get(historyFile)?.split('\n') ?? [];
  return histories.flatMap((text) => {
    const lines = text.trimEnd().split('\n');
    const isWrong = (line: string) =>
      !earlierLines.includes(line) && !real.includes(line) && JSON.parse(line).complete === true;
    return [
      ...(text.endsWith('\n') ? [] : ['the history ends in half a line']),
      ...earlierLines.filter((line) => !lines.includes(line)).map((line) => `history lost ${line}`),
      ...(new Set(lines).size === lines.length ? [] : ['the history has a line twice']),
      ...lines.filter(isWrong).map((line) => `the history has a wrong line: ${line.slice(0, 120)}`),
    ];
  });
}

/** Whether a window's totals and rows are correct. Only an incomplete window may lack rows. */
function isBeginningOf(window: WindowFile, real: WindowFile | null): boolean {
  const known = new Set(window.pages.map(({ path }) => path));
  const pages = real?.pages.filter(({ path }) => known.has(path)) ?? [];
  return (
    isDeepStrictEqual([window.start, window.totals, window.pages], [real?.start, real?.totals, pages]) &&
    window.complete === (pages.length === real?.pages.length)
  );
}
