import * as z from 'zod/mini';
import { agentOutcomes } from './outcome.ts';
import { collectReasons, errorReasons, jobReasons, reportReasons, skipReasons } from './reasons.ts';

/*
 * What the output `result` holds. `result.schema.json` is written from here; of the product only types are taken, so that none of
 * this is in the bundle. A later release may add fields.
 */

/** A schema with what it is about, for people. */
function about<S extends z.ZodMiniType>(description: string, schema: S): S {
  return schema.check(z.describe(description));
}

/** A schema that stands once in the file, by its name, and is referred to elsewhere. */
function named<S extends z.ZodMiniType>(id: string, description: string, schema: S): S {
  return schema.check(z.meta({ id, description }));
}

/** One thing that `result` can be. */
function shape<S extends z.core.$ZodLooseShape>(id: string, description: string, fields: S) {
  return named(id, description, z.object({ version: z.literal(1), ...fields }));
}

/** One of these words, each with what it means. */
function wordOf<W extends string>(words: Readonly<Record<W, string>>) {
  const names = Object.keys(words) as W[];
  return z.union(names.map((name) => about(words[name], z.literal(name))));
}

const whole = z.int().check(z.gte(0));
const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));

const outcome = named('outcome', 'How the job, or the run, ended.', wordOf(agentOutcomes));
const errorReason = named('errorReason', 'Why the work could not be done.', wordOf(errorReasons));
const skipReason = named('skipReason', 'Why there was nothing to do.', wordOf(skipReasons));
const jobReason = named(
  'jobReason',
  'Why the job, or the run that follows it, ended so.',
  wordOf(jobReasons),
);
const agentReason = named(
  'agentReason',
  'Why the run, or the job, ended so.',
  z.union([jobReason, skipReason, errorReason]),
);
const reportReason = named('reportReason', 'Whether all was read.', wordOf(reportReasons));

const pullRequest = named(
  'pullRequest',
  'The pull request of a job; null without one.',
  z.nullable(
    z.object({
      url: about('Its address, https.', z.string()),
      number: about('Its number; empty where the address has no known shape.', z.string()),
    }),
  ),
);

const job = z.object({
  id: about('Its id.', z.string()),
  status: about(
    'The status the service last told: `active`, `completed`, `archived`, `failed`, or one of later days; null where it was not seen.',
    z.nullable(z.string()),
  ),
  model: about('The model that is at work; null where the service does not tell.', z.nullable(z.string())),
  source: about(
    'Where the documentation comes from; null, or without a field, where the service does not tell.',
    z.nullable(
      z.object({
        repository: about('The repository.', z.optional(z.nullable(z.string()))),
        ref: about('The branch or another reference.', z.optional(z.nullable(z.string()))),
      }),
    ),
  ),
});

const agent = shape('agent', 'Agent mode.', {
  mode: z.literal('agent'),
  outcome,
  reason: agentReason,
  job: about('The job; null while there is none, or none is known.', z.nullable(job)),
  pullRequest,
  commentUrl: about('Address of the status comment; null without one.', z.nullable(z.string())),
  followUp: about('Whether the prompt went to a job there was before.', z.boolean()),
  durationMs: about('How long the run took, in milliseconds.', whole),
  dryRun: about('What the run would have done; with `dry-run: true` alone.', z.optional(z.string())),
  error: about('What the run fell over, for people; absent where it did not.', z.optional(z.string())),
});

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

/** What was done for one status comment. */
const collectedJob = z.object({
  project: about(
    'Whose job it is, by id; absent where the run is about one project.',
    z.optional(z.string()),
  ),
  thread: about('Number of the issue or pull request.', whole),
  commentUrl: about('Address of the status comment.', z.string()),
  jobId: about('The job; null where it is not known whether there is one.', z.nullable(z.string())),
  askedAt: about('When the agent was asked, as an ISO date.', z.iso.datetime()),
  outcome: about('How it ended; null while the job is at work.', z.nullable(outcome)),
  reason: about('Why it ended so; null while the job is at work.', z.nullable(agentReason)),
  pullRequest,
});

const collect = shape('collect', 'Collect mode, also where it was cancelled while it told what has ended.', {
  mode: z.literal('collect'),
  outcome: z.enum(['collected', 'failed']),
  reason: wordOf({ ...collectReasons, cancelled: errorReasons.cancelled }),
  finished: about('How many status comments were brought to their end.', whole),
  stillActive: about('How many wait for a job that is still at work.', whole),
  left: about('How many are left for the next run.', whole),
  jobs: about('Those that were brought to their end, and those still at work.', z.array(collectedJob)),
});

const failure = {
  outcome: z.literal('failed'),
  reason: errorReason,
  error: about(
    'What is wrong and what to do, for people; absent where the run was cancelled.',
    z.optional(z.string()),
  ),
};
const failedReport = shape('failedReport', 'A visitors report that could not be made.', {
  mode: z.literal('visitors'),
  ...failure,
  requestsUsed: report.requestsUsed,
});
const failedCollect = shape('failedCollect', 'Collect mode that could not do its work.', {
  mode: z.literal('collect'),
  ...failure,
});

const noMode = z.optional(z.never());
const skipped = shape('skipped', 'A run that was for nothing this action does, in whichever mode.', {
  mode: noMode,
  outcome: z.literal('skipped'),
  reason: skipReason,
});
const failed = shape('failed', 'An error before the work of a mode began, such as bad inputs.', {
  mode: noMode,
  ...failure,
});

/** All that `result` can be. */
export const resultSchema = z.union([
  agent,
  siteReport,
  projectsReport,
  failedReport,
  collect,
  failedCollect,
  skipped,
  failed,
]);

/** A result as modes give it: `run` adds the version. */
type Given<R> = R extends unknown ? Omit<R, 'version'> : never;
export type Result = Given<z.infer<typeof resultSchema>>;
export type AgentResult = Given<z.infer<typeof agent>>;
export type SiteReport = Given<z.infer<typeof siteReport>>;
export type ProjectsReport = Given<z.infer<typeof projectsReport>>;
export type ProjectResult = z.infer<typeof projectResult>;
export type AlertSummary = z.infer<typeof alert>;
export type CollectResult = Given<z.infer<typeof collect>>;
export type CollectedJob = z.infer<typeof collectedJob>;
export type Failure = Given<z.infer<typeof failed>>;
