import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';

import type { SimulatorCore } from '../../../simulator/core.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { playMain } from '../in-process/play.ts';
import {
  earlierLines,
  historyFile,
  maxRequests,
  reportDir,
  reportRunId,
  stageReport,
  VersionedFiles,
} from '../scenarios/report.ts';
import { endOf, leaks, type Played } from './played.ts';

/** What a run without faults reports. */
export interface Truth {
  readonly played: Played;
  readonly files: ReadonlyMap<string, string>;
  readonly requests: readonly RecordedRequest[];
}

/** Plays a run without faults that is created at the given time. */
export async function truthAt(startMs: number): Promise<Truth> {
  const core = createInMemorySimulator({ clock: { start: startMs } });
  const files = new VersionedFiles();
  const { requests } = core;
  const identity = { runId: reportRunId, attempt: 1 };
  const played = await playMain({ core, staged: stageReport(core), identity, files });
  if (endOf(played) !== 'reported (complete)') throw new Error(`Without a fault it ends as ${endOf(played)}`);
  return { played, files: files.all, requests };
}

/** What a run of the report left behind. */
export interface ReportLeft {
  readonly played: Played;
  readonly files: ReadonlyMap<string, string>;
  /** The texts that the history file had one after the other, as far as they are known; at least the last. */
  readonly histories: readonly string[];
  /** Requests that the service got from this run. */
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
  readonly rows: readonly Row[];
}

interface JsonFile {
  readonly window: WindowFile;
  readonly before: WindowFile | null;
}

/** Everything that is untrue or broken in what a run of the report left behind. */
export function reportUntruths(core: SimulatorCore, left: ReportLeft, truth: Truth): string[] {
  const { played, files, asked } = left;
  const { outcome, reason, result } = played.outputs;
  const problems = [
    ...leaks(core, { ...played, printed: [played.printed, ...files.values()].join('\n') }),
    ...brokenHistory(left, truth),
  ];
  if (asked > maxRequests) problems.push(`${asked} requests`);
  for (const path of files.keys())
    if (!truth.files.has(path)) problems.push(`${path} is none of the report's files`);
  if (result !== undefined) {
    const told = JSON.parse(result) as Record<string, unknown>;
    if (told.outcome !== outcome || told.reason !== reason) problems.push(`result says ${result}`);
  }
  if (outcome === 'reported') return [...problems, ...falseReport(left, truth)];
  // A run that was killed may leave some of its files, but only whole ones.
  if (reason === 'interrupted') return [...problems, ...brokenFiles(files, truth)];
  const written = reportFiles(files);
  if (written.length > 0) problems.push(`${outcome} (${reason}), and there is ${written}`);
  if (reason !== 'cancelled' && result !== undefined) problems.push(...silentFailure(played));
  return problems;
}

/** What is wrong with a run after one that came to grief: it has to give the whole report. */
export function rerunUntruths(core: SimulatorCore, left: ReportLeft, truth: Truth): string[] {
  const problems = reportUntruths(core, left, truth);
  const end = endOf(left.played);
  if (end !== 'reported (complete)') problems.push(`ends as ${end}`);
  return problems.map((problem) => `re-run: ${problem}`);
}

/** How many requests the service got after the first so many to both APIs. */
export function countAsked({ requests }: SimulatorCore, before: number): number {
  return requests.slice(before).filter(({ to }) => to === 'service').length;
}

/** The paths of the report's files, without the history. */
function reportFiles(files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].filter((path) => path.startsWith(`${reportDir}/`));
}

/** The files that differ from those of a run without faults. */
function brokenFiles(files: ReadonlyMap<string, string>, truth: Truth): string[] {
  return reportFiles(files)
    .filter((path) => files.get(path) !== truth.files.get(path))
    .map((path) => `${path} is not whole`);
}

function falseReport({ played, files, asked }: ReportLeft, truth: Truth): string[] {
  const { outputs, summary } = played;
  const [csv, json, markdown] = ['csv', 'json', 'report'].map((name) =>
    files.get(outputs[`${name}-file`] ?? ''),
  );
  if (csv === undefined || json === undefined || markdown === undefined) return ['not all files are there'];
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string): void => void (holds || problems.push(problem));

  const { window, before } = JSON.parse(json) as JsonFile;
  const real = JSON.parse(truth.files.get(outputs['json-file'] ?? '') ?? '') as JsonFile;
  const complete = window.complete && before?.complete === true;
  expect(outputs.reason === (complete ? 'complete' : 'incomplete'), `says ${outputs.reason}`);
  expect(outputs.complete === `${complete}`, `says complete: ${outputs.complete}`);
  expect(outputs['requests-used'] === `${asked}`, `says ${outputs['requests-used']} requests, not ${asked}`);
  expect(isBeginningOf(window, real.window), 'the window is not what the service has');
  expect(before === null || isBeginningOf(before, real.before), 'the window before is not what there was');
  expect(isDeepStrictEqual(cells(csv), rowsBeside(window, before)), 'the CSV is not the JSON');
  expect(markdown.trimEnd() === summary.trimEnd(), 'the summary is not the file');
  const change = before === null ? '' : truth.played.outputs['change-percent'];
  expect(outputs['change-percent'] === change, `says ${outputs['change-percent']}% instead of ${change}`);
  if (!complete) return [...problems, ...untoldLack(summary, window, before)];
  problems.push(...brokenFiles(files, truth));
  expect(isDeepStrictEqual(lasting(outputs), lasting(truth.played.outputs)), 'other outputs');
  return problems;
}

/** What an incomplete report must say, and what it cannot know. */
function untoldLack(summary: string, window: WindowFile, before: WindowFile | null): string[] {
  const pages = ({ rows: { length } }: WindowFile, of: string) =>
    `${length} page${length === 1 ? '' : 's'} of ${of}`;
  const must = ['> [!WARNING]\n> Incomplete: ', '- Complete: no.'];
  if (!window.complete) must.push(pages(window, 'this week'));
  if (before === null) must.push('nothing of the week before', 'all comparisons are left out');
  else if (!before.complete) must.push(pages(before, 'the week before'));
  return [
    ...must.filter((text) => !summary.includes(text)).map((text) => `the summary does not say "${text}"`),
    ...(/New pages|Pages no longer visited/.test(summary) ? ['the summary knows new or vanished pages'] : []),
    ...(!window.complete && /### Sections|Sections \(/.test(summary) ? ['the summary knows sections'] : []),
  ];
}

/** An error says what happened and what to do about it, in the log and in the summary, and gives no figures. */
function silentFailure({ outputs, summary, printed }: Played): string[] {
  const { error } = JSON.parse(outputs.result ?? '{}') as { error?: string };
  const [what = '', hint = ''] = (error ?? '').split('\n');
  // In a summary the service's own words stand behind it, in a block of code.
  const [ours = ''] = what.split(/: (?=[^:]*$)|\.$/);
  const isTold =
    printed.includes(what) &&
    [summary, printed].every((text) => text.includes(hint)) &&
    summary.includes(ours.split(': ').slice(0, 2).join(': '));
  return [
    ...(what !== '' && hint !== '' && isTold ? [] : [`no reason and hint, only ${error}`]),
    ...(outputs.total === undefined && !summary.includes('## Docs visitors')
      ? []
      : ['an error gives figures']),
  ];
}

/** Every line that was there must stay, and a window that is told to be whole must be. */
function brokenHistory({ histories }: ReportLeft, truth: Truth): string[] {
  const real = linesOf(truth.files.get(historyFile) ?? '').map(withoutNamed);
  return histories.flatMap((text) => {
    const lines = linesOf(text);
    const known = lines.map((line) => JSON.parse(line) as Partial<WindowFile>);
    const windows = known.slice(earlierLines.length).map(({ start }) => start);
    return [
      ...(text.endsWith('\n') ? [] : ['the history ends in half a line']),
      ...(isDeepStrictEqual(lines.slice(0, earlierLines.length), earlierLines) ? [] : ['history was lost']),
      ...(new Set(windows).size === windows.length ? [] : [`the history has ${windows}`]),
      ...lines
        .filter((line, index) => known[index]?.complete === true && !real.includes(withoutNamed(line)))
        .map((line) => `the history holds as whole: ${line.slice(0, 120)}`),
    ];
  });
}

/** A line without the pages that its report named: a report that lacks a window names others. */
function withoutNamed(line: string): string {
  return JSON.stringify({ ...JSON.parse(line), named: undefined });
}

/** Whether a window has the true totals and the first of the true rows: all of them if it says that it is complete. */
function isBeginningOf(window: WindowFile, real: WindowFile | null): boolean {
  if (real === null || window.start !== real.start || window.end !== real.end) return false;
  const { length } = window.rows;
  return (
    isDeepStrictEqual(window.totals, real.totals) &&
    isDeepStrictEqual(window.rows, real.rows.slice(0, length)) &&
    window.complete === (length === real.rows.length)
  );
}

function cells(csv: string): string[][] {
  return parse(csv, { fromLine: 2 });
}

function rowsBeside({ rows }: WindowFile, before: WindowFile | null): string[][] {
  const earlier = new Map(before?.rows.map((row) => [row.path, row]));
  return rows.map(({ path, human, ai, total }) => {
    const was = earlier.get(path);
    return [path, human, ai, total, was?.human ?? '', was?.ai ?? '', was?.total ?? ''].map(String);
  });
}

/** The outputs that are about the site, without what depends on the run. */
function lasting(outputs: Played['outputs']): object {
  const { result, 'requests-used': _used, ...others } = outputs;
  const { requestsUsed: _sent, ...told } = JSON.parse(result ?? '{}') as Record<string, unknown>;
  return { ...others, told };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
