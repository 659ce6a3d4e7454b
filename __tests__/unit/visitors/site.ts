import fc from 'fast-check';
import type { Clock } from '../../../src/core/clock.ts';
import type { Deps } from '../../../src/deps.ts';
import type { GitHub } from '../../../src/github/client.ts';
import type { CallOptions, DocsService, VisitorsQuery } from '../../../src/service/client.ts';
import type { VisitorsPage, VisitorsRow, VisitorsTotals } from '../../../src/service/schemas.ts';
import type { VisitorsConfig } from '../../../src/visitors/inputs.ts';
import { chooseWindow, shiftWindow } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { MemoryFiles } from '../../support/files.ts';
import { recordingRunner } from '../../support/in-process/recording-runner.ts';
import { plain } from '../../support/plain.ts';
import { context } from '../../support/samples/cards.ts';

export const { runUrl } = context;
/** A Tuesday, so last week is 9 to 15 November. */
export const createdAt = Date.parse('2026-11-17T06:10:00Z');
export const window = chooseWindow({ period: 'last-week', timeZone: 'UTC' }, createdAt);
export const windowBefore = shiftWindow(window, -1);

export function row(path: string, human: number, ai: number, total = human + ai): VisitorsRow {
  return { path: plain(path), human, ai, total };
}

/** The total is less than humans plus AI, because some visitors count as both. */
const usualTotals: VisitorsTotals = { human: 900, ai: 300, total: 1100 };
export const noVisitors: VisitorsTotals = { human: 0, ai: 0, total: 0 };

/** A window with these rows. */
export function readOf(rows: readonly VisitorsRow[], more: Partial<WindowRead> = {}): WindowRead {
  return {
    window,
    totals: usualTotals,
    rows: new Map(rows.map((page) => [page.path, page])),
    cut: undefined,
    ...more,
  };
}

export const unused = (): never => {
  throw new Error('this must not be called');
};

export type Answer = (
  query: VisitorsQuery,
  options: CallOptions,
) => VisitorsPage | Promise<VisitorsPage>;

/** A service that records visitors queries before it responds to them. Like the real client, it calls `beforeSend` first. */
export function serviceOf(answer: Answer) {
  const queries: VisitorsQuery[] = [];
  const service: DocsService = {
    createJob: unused,
    sendMessage: unused,
    getJob: unused,
    getGaps: unused,
    async getVisitors(query, options = {}) {
      options.beforeSend?.();
      queries.push(query);
      return answer(query, options);
    },
    forProject: () => service,
    within: () => service,
  };
  return { service, queries };
}

/** Responds to visitors queries as documented, with one page of the window's rows at a time. */
export function honest(rowsOf: (dateFrom: string) => readonly VisitorsRow[], totals = usualTotals) {
  return ({ dateFrom, offset, limit }: VisitorsQuery): VisitorsPage => {
    const rows = rowsOf(dateFrom);
    return {
      totals: rows.length === 0 ? noVisitors : totals,
      visitors: rows.slice(offset, offset + limit),
      hasMore: offset + limit < rows.length,
    };
  };
}

export function pagesOf(count: number, visitors = (index: number) => 5000 - index): VisitorsRow[] {
  return Array.from({ length: count }, (_, index) => {
    const total = visitors(index);
    return row(
      `/section-${index % 7}/page-${index}`,
      Math.ceil(total * 0.8),
      Math.floor(total * 0.2),
      total,
    );
  });
}

export const config: VisitorsConfig = {
  mode: 'visitors',
  baseUrl: 'http://127.0.0.1:1',
  apiKey: 'mint_x',
  projects: [{ id: 'acme', name: 'acme' }],
  githubToken: undefined,
  failOn: new Set(['failed', 'timed-out']),
  period: 'last-week',
  timeZone: 'UTC',
  compare: 'previous',
  baseline: 0,
  pages: [],
  top: 10,
  sectionDepth: 1,
  charts: 'mermaid',
  alerts: [],
  gaps: 'none',
  maxRequests: 40,
  reportDir: 'out',
  historyFile: undefined,
  thread: 'auto',
  reportComment: 'each',
  docsUrl: [],
  docsRepository: [],
};

/** A GitHub client that only knows the creation time of the run. */
export const githubOf = (readRunCreatedAt: GitHub['readRunCreatedAt']) =>
  ({ readRunCreatedAt }) satisfies Partial<GitHub> as GitHub;

export function depsOf(service: DocsService, more: Partial<Deps> = {}) {
  const runner = recordingRunner();
  const clock: Clock = {
    now: () => createdAt,
    monotonic: () => 0,
    sleep: async () => {},
    within: () => clock,
  };
  const deps: Deps = {
    service,
    runner,
    clock,
    files: new MemoryFiles(),
    signal: new AbortController().signal,
    scrub: plain,
    github: githubOf(async () => createdAt),
    context: { ...context, eventName: 'schedule' },
    event: { kind: 'other', name: 'schedule', isTrusted: true, actor: undefined },
    ...more,
  };
  return { deps, log: runner.log };
}

const words = (text: string) => text.split(' ');

/** Paths with Markdown, HTML, formulas, line breaks, invisible characters, and more. */
export const hostilePaths = [
  ...words('/a|b /a\\|b /a\\\\|b| | `` /`code` /``x```y ` \\ /a\\'),
  '/<img src=x onerror=alert(1)>',
  '<!-- -->',
  ...words('</details> <script> &lt;b&gt;'),
  '/a\nb',
  '/a\r\n\r\n# heading',
  '\n| x | y |\n|---|---|\n| 1 | 2 |',
  ...words('@everyone /@octocat #1 acme/docs#12 GH-26'),
  ...words('https://evil.example/x www.evil.example me@evil.example'),
  ...words('[x](https://evil.example) ![x](https://evil.example/x.png)'),
  "=cmd|' /C calc'!A0",
  ...words('+1+1 -2+3 @SUM(1) \t=1 \r=1'),
  ...words('/\u202etxt.exe /\u200b\u200b /😀👩‍👩‍👧 /\ud800 /\u0000\u0007'),
  '',
  ' ',
  '  a  ',
  ...words('$x$ $$x$$ :smile: ~~x~~ **x** %%{init}%%'),
  '"quoted, with comma"',
  `/${'x'.repeat(4000)}`,
  `/${'`'.repeat(300)}`,
  `/${'|'.repeat(300)}`,
];

export const anyPath = fc.oneof(
  fc.constantFrom(...hostilePaths),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^[\\|`<>@#\n /a-b]{1,14}$/),
  fc.webPath(),
);
