import * as z from 'zod/mini';
import { reportReasons } from '../core/reasons.ts';
import { about, day, errorReason, failure, type Given, named, shape, whole, wordOf } from '../core/result.ts';

const reportReason = named('reportReason', 'Whether all was read.', wordOf(reportReasons));

const rule = about('The rule, as it was given.', z.string());
const uncheckedPages = about(
  'Pages with enough visitors for the rule, but without a figure to check; absent without any.',
  z.optional(whole),
);
const alert = named(
  'alert',
  'What an alert rule came to.',
  z.discriminatedUnion('state', [
    z.object({
      rule,
      state: about('The rule fired.', z.literal('fired')),
      found: about('How many pages made it fire; 1 for a rule about the site.', whole),
      uncheckedPages,
    }),
    z.object({ rule, state: about('The rule did not fire.', z.literal('quiet')), uncheckedPages }),
    z.object({
      rule,
      state: about('What the rule needs is not there.', z.literal('unchecked')),
      why: about('What is missing, for people.', z.string()),
    }),
  ]),
);
const alerts = about('What each alert rule came to.', z.array(alert));

const visitors = z.nullable(z.number().check(z.gte(0)));
const percent = z.nullable(z.number());
const window = {
  periodStart: about('First day of the window.', day),
  periodEnd: about('The day after its last day.', day),
};
const complete = about('Whether everything that was asked for was read whole.', z.boolean());

/** What is known of a site. */
const site = {
  reason: reportReason,
  total: about('Unique visitors of the window, humans and AI, each once; null where not counted.', visitors),
  human: about('Unique human visitors; null where not counted.', visitors),
  ai: about('Unique AI visitors; null where not counted.', visitors),
  aiShare: about('AI visitors in per cent of all, with one decimal; null where not known.', percent),
  changePercent: about(
    'Change of `total` from the window before, in per cent with one decimal; null where there is nothing to compare with.',
    percent,
  ),
  ...window,
  complete,
  csvFile: about('Path of the CSV file; empty without `report-dir`.', z.string()),
  jsonFile: about('Path of the JSON file; empty without `report-dir`.', z.string()),
  alerts,
};

/** What a run that wrote a report knows of it, however many projects it is about. */
const report = {
  mode: z.literal('visitors'),
  outcome: z.literal('reported'),
  requestsUsed: about('Requests sent to the service, retries included.', whole),
  reportFile: about('Path of the Markdown file; empty without `report-dir`.', z.string()),
  digest: about('The report in a few lines of plain text for a chat.', z.string()),
  commentUrl: about('Address of the comment with the report; null without one.', z.nullable(z.string())),
};

const project = {
  project: about('Its id.', z.string()),
  name: about('What it is called; its id unless a name was given.', z.string()),
};
const projectResult = z.union([
  z.object({ ...project, ...site }),
  z.object({
    ...project,
    reason: errorReason,
    complete: about('Nothing of it could be read.', z.literal(false)),
    error: about('What is wrong and what to do, for people.', z.string()),
    alerts,
  }),
]);

const siteReport = shape('report', 'A visitors report of one project.', { ...report, ...site });
const projectsReport = shape('projectsReport', 'A visitors report of several projects.', {
  ...report,
  reason: reportReason,
  ...window,
  complete,
  projects: about('What is each project’s own, in the order they were given.', z.array(projectResult)),
});

const failedReport = shape('failedReport', 'A visitors report that could not be made.', {
  mode: z.literal('visitors'),
  ...failure,
  requestsUsed: report.requestsUsed,
});
/** All that the output `result` can be. */
export const visitorsResults = [siteReport, projectsReport, failedReport];

export type SiteReport = Given<z.infer<typeof siteReport>>;
export type ProjectsReport = Given<z.infer<typeof projectsReport>>;
export type ProjectResult = z.infer<typeof projectResult>;
export type AlertSummary = z.infer<typeof alert>;
