import { totalOf } from '../judge/figures.ts';
import { remedyFor } from '../read/cut.ts';
import { isComplete } from '../read/window-read.ts';
import type { ReportContent } from './content.ts';
import { capitalised } from './headline.ts';
import { plural } from './numbers.ts';

const list = new Intl.ListFormat('en');

/** What the report lacks, and what to do about it, a line each; none when it is complete. */
export function whatIsMissing(content: ReportContent): string[] {
  const { windows, maxRequests } = content;
  if (isComplete(windows)) return [];
  const cuts = [windows.now.cut, windows.before?.cut, windows.whyNoBefore];
  const remedies = cuts.flatMap((cut) => (cut === undefined ? [] : [remedyFor(cut, maxRequests)]));
  const whatIsThere = areTotalsCounted(content) ? 'totals are complete; ' : '';
  return [
    `Incomplete: ${whatWasRead(content)} ${capitalised(`${whatIsThere}${whatIsLeftOut(content)} are left out.`)}`,
    ...new Set(remedies),
  ];
}

function whatWasRead({ windows: { now, before, whyNoBefore } }: ReportContent): string {
  const { name, previousName } = now.window;
  const parts = [
    ...(now.cut === undefined ? [] : [{ count: now.rows.size, of: name }]),
    ...(before?.cut === undefined ? [] : [{ count: before.rows.size, of: previousName }]),
    ...(whyNoBefore === undefined ? [] : [{ count: 0, of: previousName }]),
  ];
  const said = parts.map(({ count, of }) => `${count === 0 ? 'nothing' : plural(count, 'page')} of ${of}`);
  const [first] = parts;
  const isSingular = parts.length === 1 && first !== undefined && first.count <= 1;
  return `${first?.count === 0 ? '' : 'only '}${list.format(said)} ${isSingular ? 'was' : 'were'} read.`;
}

/** The totals come with the first page of rows: only the service itself can lack some. */
function areTotalsCounted({ windows: { now, before } }: ReportContent): boolean {
  const reads = before === undefined ? [now] : [now, before];
  return reads.every((read) =>
    (['total', 'human', 'ai'] as const).every((kind) => totalOf(read, kind) !== undefined),
  );
}

function whatIsLeftOut({ windows: { now, before, whyNoBefore }, findings }: ReportContent): string {
  return list.format([
    ...(now.cut !== undefined && findings.mostVisited === undefined ? ['top pages'] : []),
    ...(now.cut === undefined ? [] : ['sections', 'pages read mostly by AI']),
    ...(now.cut === undefined && before?.cut !== undefined ? ['changes of sections'] : []),
    ...(before === undefined ? [] : ['new and vanished pages']),
    ...(whyNoBefore === undefined ? [] : ['all comparisons']),
  ]);
}
