import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';

import type { SimulatorCore } from '../../../simulator/core.ts';
import { memoryPlayer } from '../in-process/player.ts';
import { endOf, leaks, type Played, type Player } from '../played.ts';
import {
  earlierLines,
  historyFile,
  maxRequests,
  reportDir,
  stageReport,
} from '../scenarios/report.ts';

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

interface Row {
  readonly path: string;
  readonly human: number;
  readonly ai: number;
  readonly total: number;
}

interface WindowFile {
  readonly start: string;
  readonly end: string;
  readonly complete: boolean;
  readonly totals: object;
  readonly pages: readonly Row[];
}

interface JsonFile {
  readonly project: string;
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
  if (result !== undefined) {
    const reported = JSON.parse(result) as Record<string, unknown>;
    if (reported.outcome !== outcome || reported.reason !== reason)
      problems.push(`result says ${result}`);
  }
  if (outcome === 'reported') return [...problems, ...falseReport(left, truth)];
  // A killed run may leave some of its files, but only complete ones.
  if (reason === 'interrupted') return [...problems, ...brokenFiles(files, truth)];
  const written = reportFiles(files);
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
  const [csv, json, markdown] = ['csv', 'json', 'report'].map((name) =>
    files.get(outputs[`${name}-file`] ?? ''),
  );
  if (csv === undefined || json === undefined || markdown === undefined)
    return ['files are missing'];
  const problems: string[] = [];
  const expect = (isTrue: boolean, problem: string): void =>
    void (isTrue || problems.push(problem));

  const { project, period: window, before } = JSON.parse(json) as JsonFile;
  const real = JSON.parse(truth.files.get(outputs['json-file'] ?? '') ?? '') as JsonFile;
  const complete = window.complete && before?.complete === true;
  expect(outputs.reason === (complete ? 'complete' : 'incomplete'), `says ${outputs.reason}`);
  expect(outputs.complete === `${complete}`, `says complete: ${outputs.complete}`);
  expect(
    outputs['requests-used'] === `${asked}`,
    `says ${outputs['requests-used']} requests, not ${asked}`,
  );
  expect(isBeginningOf(window, real.period), 'the window is not what the service has');
  expect(
    before === null || isBeginningOf(before, real.before),
    'the window before is not what there was',
  );
  expect(
    isDeepStrictEqual(parse(csv, { fromLine: 2 }), rowsBeside(project, window, before)),
    'the CSV is not the JSON',
  );
  expect(markdown.trimEnd() === summary.trimEnd(), 'the summary is not the file');
  const change = before === null ? '' : truth.played.outputs['change-percent'];
  expect(
    outputs['change-percent'] === change,
    `says ${outputs['change-percent']}% instead of ${change}`,
  );
  if (!complete) return [...problems, ...unreportedLack(summary, window, before)];
  problems.push(...brokenFiles(files, truth));
  expect(isDeepStrictEqual(lasting(outputs), lasting(truth.played.outputs)), 'other outputs');
  return problems;
}

/** Lists what an incomplete report fails to say, and what it says but can't know. */
function unreportedLack(summary: string, window: WindowFile, before: WindowFile | null): string[] {
  const must = ['> [!WARNING]\n> **', 'Complete: no.', `Pages read: ${window.pages.length}.`];
  if (!window.complete) must.push('**The page lists are ');
  else if (!before?.complete) must.push('**The comparison with the week before is incomplete.**');
  return [
    ...must
      .filter((text) => !summary.includes(text))
      .map((text) => `the summary does not say "${text}"`),
    ...(/New pages|Pages no longer visited/.test(summary)
      ? ['the summary lists new or vanished pages']
      : []),
    ...(!window.complete && /sections \(/.test(summary) ? ['the summary lists sections'] : []),
  ];
}

/** Checks that the log and the summary explain an error and say what to do, and that the run reports no figures. */
function silentFailure({ outputs, summary, printed }: Played): string[] {
  const { error } = JSON.parse(outputs.result ?? '{}') as { error?: string };
  const [what = '', hint = ''] = (error ?? '').split('\n');
  // The summary shows the service's own words separately, in a code block.
  const [ours = ''] = what.split(/: (?=[^:]*$)|\.$/);
  const isExplained =
    printed.includes(what) &&
    [summary, printed].every((text) => text.includes(hint)) &&
    summary.includes(ours.split(': ').slice(0, 2).join(': '));
  return [
    ...(what !== '' && hint !== '' && isExplained ? [] : [`no reason and hint, only ${error}`]),
    ...(outputs.total === undefined && !summary.includes('## Docs visitors')
      ? []
      : ['a failed run reports figures']),
  ];
}

/** Checks that the history file keeps every earlier line, and that each window marked as complete is complete. */
function brokenHistory({ histories }: ReportLeft, truth: Truth): string[] {
  const real = linesOf(truth.files.get(historyFile) ?? '');
  return histories.flatMap((text) => {
    const lines = linesOf(text);
    const known = lines.map((line) => JSON.parse(line) as Partial<WindowFile>);
    const isEarlier = (line: string) => earlierLines.includes(line);
    const windows = known
      .filter((_, index) => !isEarlier(lines[index] ?? ''))
      .map(({ start }) => start);
    return [
      ...(text.endsWith('\n') ? [] : ['the history ends in half a line']),
      ...(isDeepStrictEqual(lines.filter(isEarlier).toSorted(), earlierLines.toSorted())
        ? []
        : ['history was lost']),
      ...(new Set(windows).size === windows.length ? [] : [`the history has ${windows}`]),
      ...lines
        .filter((line, index) => known[index]?.complete === true && !real.includes(line))
        .map((line) => `the history has a wrong line: ${line.slice(0, 120)}`),
    ];
  });
}

/** Whether a window's totals and rows are correct. Only an incomplete window may lack rows. */
function isBeginningOf(window: WindowFile, real: WindowFile | null): boolean {
  if (real === null || window.start !== real.start || window.end !== real.end) return false;
  const known = new Set(window.pages.map(({ path }) => path));
  return (
    isDeepStrictEqual(window.totals, real.totals) &&
    isDeepStrictEqual(
      window.pages,
      real.pages.filter(({ path }) => known.has(path)),
    ) &&
    window.complete === (known.size === real.pages.length)
  );
}

function rowsBeside(project: string, window: WindowFile, before: WindowFile | null): string[][] {
  const [now, past] = [window, before].map(
    (period) => new Map(period?.pages.map((row) => [row.path, row])),
  );
  return [...new Set([...(now?.keys() ?? []), ...(past?.keys() ?? [])])].map((path) => {
    const counts = [now?.get(path), past?.get(path)].flatMap((row) => [
      row?.human,
      row?.ai,
      row?.total,
    ]);
    return [window.start, window.end, project, path, ...counts.map((count) => count ?? '')].map(
      String,
    );
  });
}

/** The outputs without the number of requests. */
function lasting(outputs: Played['outputs']): object {
  const { result, 'requests-used': _used, ...others } = outputs;
  const { requestsUsed: _sent, ...reported } = JSON.parse(result ?? '{}') as Record<
    string,
    unknown
  >;
  return { ...others, reported };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
