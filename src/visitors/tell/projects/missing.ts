import type { Project } from '../../../core/inputs/projects.ts';
import { firstFew } from '../../../text/first-few.ts';
import { type Cut, cutOf, remedyFor } from '../../read/cut.ts';
import { isComplete } from '../../read/window-read.ts';
import type { ProjectReport, Report } from '../content.ts';
import { namesCode } from './names.ts';

/** Causes that are told with what to do; the sections tell of all. */
const mostCauses = 5;

/** What the report lacks, by the names of projects, and what to do about it, a line each; none when it is complete. */
export function whatProjectsLack(report: Report): string[] {
  const { projects, window } = report;
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
  return [
    `Incomplete: ${lacks.join('; ')}. The sections of these projects say more.`,
    ...firstFew(remediesOf(report), mostCauses),
  ];
}

/** Whether everything that was asked for was read whole, of all projects. */
export function isAllComplete({ projects }: Report): boolean {
  return projects.every((one) => 'content' in one && isComplete(one.content.windows));
}

function told(what: string, projects: readonly Project[]): string[] {
  return projects.length === 0 ? [] : [`${what} ${namesCode(projects)}`];
}

/** Why projects are not whole and what to do about it, each cause once, with the projects that it is about. */
function remediesOf({ projects, maxRequests }: Report): string[] {
  const lacks = projects.flatMap((one) =>
    causesOf(one).map((cause) => ({
      project: one.project,
      cause,
      remedy: remedyFor(cause, maxRequests),
    })),
  );
  return Array.from(
    Map.groupBy(lacks, ({ remedy }) => remedy),
    ([remedy, alike]) => {
      // The budget is one for all.
      const whose = alike.filter(({ cause }) => cause.kind !== 'budget').map(({ project }) => project);
      return whose.length === 0 ? remedy : `${namesCode([...new Set(whose)])}: ${remedy}`;
    },
  );
}

function causesOf(report: ProjectReport): Cut[] {
  if ('failure' in report) return [cutOf(report.failure)];
  const { now, before, whyNoBefore } = report.content.windows;
  return [now.cut, before?.cut, whyNoBefore].filter((cut) => cut !== undefined);
}
