import { outcomes } from './core/outcome.ts';

/** The outputs of agent mode and of every mode, by name, with what they hold. */
export const commonOutputs = {
  outcome: `How the run ended: ${Object.keys(outcomes)
    .map((name) => `\`${name}\``)
    .join(', ')}.`,
  reason:
    'A stable code that says why, such as `pull-request`, `job-failed`, `bad-input` or `rate-limited`; of a report `complete`, `incomplete` or `no-visits`; of collecting `complete` or `incomplete`.',
  result:
    'All of it as one JSON object with `"version": 1`; of a report of several projects, `projects` has what is each one’s.',
} as const;

export const agentOutputs = {
  'job-id': 'The job; set the moment it is known.',
  'job-status': 'The status the service last told: `active`, `completed`, `archived`, `failed`.',
  'pr-link': 'Address of the pull request; empty without one.',
  'pr-number': 'Its number, where the address has a known shape.',
  'comment-url': 'Address of the status comment; empty without one.',
} as const;

export const collectOutputs = {
  finished: 'How many status comments were brought to their end.',
  'still-active': 'How many wait for a job that is still at work.',
} as const;

export const visitorsOutputs = {
  total:
    'Unique visitors of the window, humans and AI, each once; this and the next two are empty where the service did not count them. Of several projects, this and the next four are empty: `result` has them for each.',
  human: 'Unique human visitors.',
  ai: 'Unique AI visitors.',
  'ai-share':
    'AI visitors in per cent of all, with one decimal, such as `31.2`; empty where it is not known.',
  'change-percent':
    'Change of `total` from the window before, in per cent with one decimal, such as `-8.0`; empty where there is nothing to compare with.',
  'period-start': 'First day of the window, `YYYY-MM-DD`.',
  'period-end': 'The day after its last day, `YYYY-MM-DD`.',
  complete: '`true` when everything that was asked for was read whole, of all projects, else `false`.',
  'requests-used': 'Requests sent to the service, retries included.',
  alerts:
    'The alert rules that fired, on separate lines, of several projects each as `Name: rule`; empty when none did.',
  'report-file':
    'Path of the Markdown file, of several projects one for all; this and the next two are empty without `report-dir`.',
  'csv-file': 'Path of the CSV file; of several projects on separate lines.',
  'json-file': 'Path of the JSON file; of several projects on separate lines.',
  digest:
    'The report in a few lines of plain text for a chat, at most 3,000 characters: what happened, three pages that moved (of several projects one each), the run’s address.',
} as const;
