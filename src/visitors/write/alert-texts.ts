import { counted, firstFew, formatCount } from '../../text/counts.ts';
import type { AlertResult, FiredAlert } from '../judge/alerts.ts';
import { formatChange, formatPercent } from '../judge/numbers.ts';
import { isRead, type Report, type Site } from '../judge/report.ts';
import { fold } from './blocks.ts';
import { namesOf } from './missing.ts';
import { shareRange, usualRange } from './sentences.ts';
import { nameHtml, shownCode } from './shown.ts';

/** The maximum number of fired rules to list, and of unchecked ones. The others are only counted. */
const maxListed = 10;

/** The rules that fired; of several sites, each with its project’s name. */
export function firedRules(
  sites: readonly Site[],
  shownName: (name: string) => string = String,
  shownRule: (text: string) => string = String,
): string[] {
  return sites.flatMap(({ project, alerts }) => {
    const whose = sites.length === 1 ? '' : `${shownName(project.name)}: `;
    return alerts.filter(hasFired).map(({ rule }) => `${whose}${shownRule(rule.text)}`);
  });
}

/** Which of several sites had no visitors, and which rules fired: `Alerts: `total < -30%`, `total < usual`.` */
export function alarmLines(sites: readonly Site[]): string[] {
  const silent = sites.filter((site) => isRead(site) && site.findings.lastBusy !== undefined);
  const fired = firedRules(sites, nameHtml, shownCode);
  return [
    ...(silent.length === 0 || sites.length === 1
      ? []
      : [`**No visitors were recorded** for ${namesOf(silent)}.`]),
    ...(fired.length === 0 ? [] : [`Alerts: ${firstFew(fired, maxListed).join(', ')}.`]),
  ];
}

/** What made a rule fire: `5,049; usual 3,512–4,128`, `+33% from the week before, 3,800 → 5,049`, or `64%`. */
function whyFired({ rule, now, usual, change }: FiredAlert, { previousName }: Report['window']) {
  const isShare = rule.figure === 'ai-share';
  const figure = isShare ? formatPercent(now) : formatCount(now.part);
  if (usual) return `${figure}; usual ${(isShare ? shareRange : usualRange)(usual).replaceAll('\u2060', '')}`;
  if (change === undefined) return figure;
  return `${formatChange(change)} from ${previousName}, ${formatCount(change.whole)} → ${figure}`;
}

/** Lists the unchecked rules with the reasons, collapsed; `''` if all were checked. */
export function uncheckedBlock({ alerts }: Site): string {
  const notes = alerts.flatMap((alert) =>
    alert.state === 'unchecked' ? `${shownCode(alert.rule.text)}: ${alert.why}.` : [],
  );
  const title = `Alert rules not checked (${formatCount(notes.length)})`;
  return notes.length === 0 ? '' : fold(title, `- ${firstFew(notes, maxListed).join('\n- ')}`);
}

/** `2 alert rules could not be checked`, and for which of several sites; `''` if all were checked. */
export function uncheckedVerdict(sites: readonly Site[], shown = nameHtml): string {
  const uncheckedOf = ({ alerts }: Site) => alerts.filter(({ state }) => state === 'unchecked');
  const lacking = sites.filter((site) => uncheckedOf(site).length > 0);
  const rules = new Set(lacking.flatMap(uncheckedOf).map(({ rule }) => rule));
  const whose = sites.length === 1 ? '' : ` for ${namesOf(lacking, shown)}`;
  return rules.size === 0 ? '' : `${counted(rules.size, 'alert rule')} could not be checked${whose}.`;
}

/** The result of each rule, for the output `result` and the JSON file. */
export function alertResults(alerts: readonly AlertResult[], window: Report['window']) {
  return alerts.map((alert) => {
    const { rule, state } = alert;
    const why = state === 'fired' ? whyFired(alert, window) : state === 'unchecked' ? alert.why : undefined;
    return { rule: rule.text, state, ...(why && { why }) };
  });
}

/** Whether a rule fired. */
export function hasFired(alert: AlertResult) {
  return alert.state === 'fired';
}
