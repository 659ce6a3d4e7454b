import type { Project } from '../../../config/projects.ts';
import { type Cut, cutOf, remedyFor } from '../../read/cut.ts';
import { isComplete } from '../../read/window-read.ts';
import { contentsOf, type ProjectReport, type Report } from '../content.ts';
import { namesCode } from './names.ts';

/** What the report lacks, by the names of projects, and what to do about it, a line each; none when it is complete. */
export function whatProjectsLack(report: Report): string[] {
  const { projects, window, maxRequests } = report;
  const having = (lack: (one: ProjectReport) => boolean) =>
    projects.filter(lack).map(({ project }) => project);
  const unread = having((one) => 'failure' in one);
  const uncompared = having((one) => 'content' in one && one.content.windows.whyNoBefore !== undefined);
  const cut = having((one) => 'content' in one && one.content.windows.now.cut !== undefined);
  const cutBefore = having((one) => 'content' in one && one.content.windows.before?.cut !== undefined);
  const lacks = [
    ...told('nothing could be read of', unread),
    ...told(`nothing of ${window.previousName} was read of`, uncompared),
    ...told(`not all pages of ${window.name} were read of`, cut),
    ...told(`not all pages of ${window.previousName} were read of`, cutBefore),
  ];
  if (lacks.length === 0) return [];
  const remedies = causesOf(report).map((cause) => remedyFor(cause, maxRequests));
  return [`Incomplete: ${lacks.join('; ')}. The sections of these projects say more.`, ...new Set(remedies)];
}

/** Whether everything that was asked for was read whole, of all projects. */
export function isAllComplete({ projects }: Report): boolean {
  return projects.every((one) => 'content' in one && isComplete(one.content.windows));
}

function told(what: string, projects: readonly Project[]): string[] {
  return projects.length === 0 ? [] : [`${what} ${namesCode(projects)}`];
}

/** Why projects are not whole. */
function causesOf(report: Report): Cut[] {
  const failures = report.projects.flatMap((one) => ('failure' in one ? [cutOf(one.failure)] : []));
  const cuts = contentsOf(report).flatMap(({ windows }) => [
    windows.now.cut,
    windows.before?.cut,
    windows.whyNoBefore,
  ]);
  return [...failures, ...cuts].filter((cut) => cut !== undefined);
}
