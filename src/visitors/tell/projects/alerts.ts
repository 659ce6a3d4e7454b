import type { Project } from '../../../core/inputs/projects.ts';
import type { AlertResult } from '../../judge/alerts.ts';
import { alertVerdict, hasFired, isUnchecked, uncheckedVerdict } from '../alert-texts.ts';
import { alertsOf, type Report } from '../content.ts';
import { namesCode } from './names.ts';

/** How many rules fired and of which projects, and which could not be checked; `''` where there are no rules. */
export function alertSentences(report: Report): string {
  const firing = projectsWith(report, hasFired);
  const see = firing.length === 0 ? '' : `See ${namesCode(firing)}.`;
  return [alertVerdict(alertsOf(report)), see, uncheckedOf(report)].filter((part) => part !== '').join(' ');
}

/** `2 alert rules could not be checked for `A` and `B`.`; `''` where all could. */
export function uncheckedOf(report: Report): string {
  const lacking = projectsWith(report, (alerts) => alerts.some(isUnchecked));
  return uncheckedVerdict(alertsOf(report), ` for ${namesCode(lacking)}`);
}

function projectsWith({ projects }: Report, has: (alerts: readonly AlertResult[]) => boolean): Project[] {
  return projects
    .filter((one) => has('content' in one ? one.content.alerts : one.alerts))
    .map(({ project }) => project);
}
