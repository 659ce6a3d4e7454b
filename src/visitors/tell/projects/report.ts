import type { ActionError } from '../../../core/errors.ts';
import { isComplete } from '../../read/window-read.ts';
import { alertBlocks, hasFired } from '../alert-texts.ts';
import { type Block, fitBlocks, fold, joinBlocks, type SizeLimit, shareOut } from '../blocks.ts';
import type { ProjectReport, Report } from '../content.ts';
import { titleOf } from '../headline.ts';
import { reportBlocks, textBlock, warning } from '../report.ts';
import { alertSentences } from './alerts.ts';
import { whatProjectsLack } from './missing.ts';
import { nameHtml } from './names.ts';
import { projectsTable } from './table.ts';

/**
 * The report of several projects as Markdown: a table with a row each, which is always whole, then a section each, folded. A
 * section has what a report of that project alone tells; where not all fits, each gets its share of the room.
 */
export function renderProjects(report: Report, limit: SizeLimit): string {
  const head = joinBlocks(headBlocks(report), { ...limit, most: Number.POSITIVE_INFINITY });
  const whole = report.projects.map((one) => section(one, { ...limit, most: Number.POSITIVE_INFINITY }));
  const needs = whole.map((text) => limit.measure(`\n${text}`));
  const rooms = shareOut(needs, limit.most - limit.measure(head));
  const sections = report.projects.map((one, index) => {
    const room = rooms[index] ?? 0;
    return room === needs[index]
      ? whole[index]
      : section(one, { ...limit, most: room - limit.measure('\n') });
  });
  return [head, ...sections].join('\n');
}

function headBlocks(report: Report): Block[] {
  const { projects, window } = report;
  const scope = `**${projects.length} projects.** Their totals are never added up, since one person may read two sites.`;
  return [
    ...textBlock(`## ${titleOf(window)}`),
    ...textBlock(scope),
    ...textBlock(warning(whatProjectsLack(report))),
    ...textBlock(alertSentences(report)),
    ...textBlock(projectsTable(report)),
  ];
}

function section(report: ProjectReport, limit: SizeLimit): string {
  const { project } = report;
  const blocks =
    'failure' in report
      ? [...textBlock(whyUnread(report.failure)), ...alertBlocks(report.alerts)]
      : reportBlocks(report.content);
  const title = [nameHtml(project), ...marksOf(report)].join(', ');
  const room = limit.most - limit.measure(`${fold(title, '')}\n`);
  return `${fold(title, fitBlocks(blocks.map(deeper), { ...limit, most: room }).trimEnd())}\n`;
}

/** What is to be seen of a project before its section is opened. */
function marksOf(report: ProjectReport): string[] {
  if ('failure' in report) return ['not read'];
  const { alerts, windows } = report.content;
  return [...(hasFired(alerts) ? ['alert'] : []), ...(isComplete(windows) ? [] : ['incomplete'])];
}

/** Only our own words: the message may quote the service, and is in the log. */
function whyUnread({ reason, hint = '' }: ActionError): string {
  return `> [!WARNING]\n> Nothing could be read of this project (\`${reason}\`). ${hint}`.trimEnd();
}

/** A block below the heading of its project. */
function deeper(block: Block): Block {
  const lower = (markdown: string) => markdown.replace(/^###(?= )/gm, '####');
  return block.kind === 'text'
    ? { ...block, text: lower(block.text) }
    : { ...block, lead: lower(block.lead) };
}
