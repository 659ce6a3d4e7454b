import { explain } from '../../../core/errors.ts';
import type { ModeResult } from '../../../core/mode-result.ts';
import type { ProjectResult, ProjectsReport } from '../../result-schema.ts';
import { alertLines, alertSentences, hasFired } from '../alert-texts.ts';
import { contentsOf, type ProjectReport, type Report, type ReportContent } from '../content.ts';
import { plainText } from '../digest.ts';
import { titleOf } from '../headline.ts';
import { plural } from '../numbers.ts';
import { type Delivery, outputsOf, reasonOf, siteValues, toldOf, withoutHits } from '../reported.ts';
import { uncheckedOf } from './alerts.ts';
import { digestOfProjects } from './digest.ts';
import { isAllComplete, whatProjectsLack } from './missing.ts';

/**
 * The end of a run that wrote the report of several projects. What is one project's alone is in `result.projects`: an output
 * for one would be a sum, which there is none of, or one project's by accident.
 */
export function projectsResult(report: Report, delivery: Delivery): ModeResult<ProjectsReport> {
  const { window, projects } = report;
  const contents = contentsOf(report);
  const complete = isAllComplete(report);
  const files = contents.flatMap((content) => content.files ?? []);
  const shared = {
    periodStart: window.start,
    periodEnd: window.end,
    complete,
    requestsUsed: delivery.requestsUsed,
    reportFile: files[0]?.markdown ?? '',
    digest: digestOfProjects(report, delivery.runUrl),
  };
  return {
    result: {
      mode: 'visitors',
      outcome: 'reported',
      reason: reasonOfAll(report, complete),
      ...shared,
      commentUrl: delivery.commentUrl ?? null,
      projects: projects.map(resultOfProject),
    },
    outputs: {
      ...outputsOf({ total: null, human: null, ai: null, aiShare: null, changePercent: null, ...shared }),
      alerts: projects.flatMap((one) => named(one, (content) => alertLines(content.alerts))).join('\n'),
      'csv-file': files.map(({ csv }) => csv).join('\n'),
      'json-file': files.map(({ json }) => json).join('\n'),
    },
    ...toldOf(
      {
        isComplete: complete,
        hasFired: contents.some(({ alerts }) => hasFired(alerts)),
        title: titleOf(window),
      },
      [
        `${plural(projects.length, 'project')}, ${window.label}.`,
        plainText(whatProjectsLack(report)),
        plainText([uncheckedOf(report)]),
      ].filter((line) => line !== ''),
      projects.flatMap((one) => named(one, (content) => alertSentences(content.alerts))),
      delivery,
    ),
  };
}

function reasonOfAll(report: Report, complete: boolean): ProjectsReport['reason'] {
  if (!complete) return 'incomplete';
  return contentsOf(report).every((content) => reasonOf(content) === 'no-visits') ? 'no-visits' : 'complete';
}

/** What a result of the project alone would hold, but for what all share. */
function resultOfProject(report: ProjectReport): ProjectResult {
  const { id, name } = report.project;
  if ('failure' in report) {
    const { reason, text } = explain(report.failure);
    return {
      project: id,
      name,
      reason,
      complete: false,
      error: text,
      alerts: report.alerts.map(withoutHits),
    };
  }
  const { content } = report;
  return {
    project: id,
    name,
    reason: reasonOf(content),
    ...siteValues(content),
    alerts: content.alerts.map(withoutHits),
  };
}

/** Lines about a project, each behind its name. */
function named(report: ProjectReport, linesOf: (content: ReportContent) => readonly string[]): string[] {
  return 'failure' in report ? [] : linesOf(report.content).map((line) => `${report.project.name}: ${line}`);
}
