import { counted, firstFew, formatCount } from '../../text/counts.ts';
import type { AlertResult, FiredAlert } from '../judge/alerts.ts';
import { formatChange, formatPercent } from '../judge/numbers.ts';
import { isRead, type Report, type Site } from '../judge/report.ts';
import { fold } from './blocks.ts';
import { namesCode, shareRange, usualRange } from './sentences.ts';
import { nameCode, shownCode } from './shown.ts';

/** The maximum number of fired rules to list, and of unchecked ones. The others are only counted. */
const maxListed = 10;

/** Says which of several sites had no visitors, and which rules fired and why. The report, annotation, and digest show this. */
export function alarmLines({ sites, window }: Pick<Report, 'sites' | 'window'>, most = maxListed): string[] {
  const isOnly = sites.length === 1;
  const silent = sites.filter((site) => !isOnly && isRead(site) && site.findings.lastBusy !== undefined);
  const fired = sites.flatMap(({ project, alerts }) =>
    alerts.filter(hasFired).map((alert) => {
      const whose = isOnly ? '' : `${nameCode(project.name)}: `;
      return `${whose}${shownCode(alert.rule.text)} (${whyFired(alert, window)})`;
    }),
  );
  const verdict = `**${alertVerdict(sites)}:**`;
  const lines = firstFew(fired, most).map((line) => `- ${line}.`);
  return [
    ...(silent.length === 0 ? [] : [`**No visitors were recorded** for ${namesCode(silent)}.`]),
    ...(fired.length < 2 ? fired.map((line) => `${verdict} ${line}.`) : [verdict, ...lines]),
  ];
}

/** What made a rule fire: `5,049; usual 3,512–4,128`, `+33% from the week before, 3,800 → 5,049`, or `64%`. */
function whyFired({ rule, now, usual, change }: FiredAlert, { previousName }: Report['window']) {
  const isShare = rule.figure === 'ai-share';
  const figure = isShare ? formatPercent(now, 0) : formatCount(now.part);
  if (usual !== undefined) return `${figure}; usual ${isShare ? shareRange(usual, 0) : usualRange(usual)}`;
  if (change === undefined) return figure;
  return `${formatChange(change, 0)} from ${previousName}, ${formatCount(change.whole)} → ${figure}`;
}

/** Lists the unchecked rules with the reasons, collapsed; `''` if all were checked. */
export function uncheckedBlock(alerts: readonly AlertResult[]): string {
  const notes = alerts.filter(isUnchecked).map(({ rule, why }) => `${shownCode(rule.text)}: ${why}.`);
  const listed = firstFew(notes, maxListed).map((note) => `- ${note}`);
  if (notes.length === 0) return '';
  return fold(`Alert rules not checked (${formatCount(notes.length)})`, listed.join('\n'));
}

/** `1 of 2 alert rules fired`. A rule that applies to several projects counts once. */
export function alertVerdict(sites: readonly Site[]): string {
  const alerts = sites.flatMap((site) => site.alerts);
  const fired = countRules(alerts.filter(hasFired));
  return `${formatCount(fired)} of ${counted(countRules(alerts), 'alert rule')} fired`;
}

/** `2 alert rules could not be checked`, and for which of several sites; `''` if all were checked. */
export function uncheckedVerdict(sites: readonly Site[]): string {
  const lacking = sites.filter(({ alerts }) => alerts.some(isUnchecked));
  const unchecked = countRules(lacking.flatMap(({ alerts }) => alerts.filter(isUnchecked)));
  const whose = sites.length === 1 ? '' : ` for ${namesCode(lacking)}`;
  return unchecked === 0 ? '' : `${counted(unchecked, 'alert rule')} could not be checked${whose}.`;
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

function isUnchecked(alert: AlertResult) {
  return alert.state === 'unchecked';
}

function countRules(alerts: readonly AlertResult[]): number {
  return new Set(alerts.map(({ rule }) => rule)).size;
}
