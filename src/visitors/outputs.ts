/** The outputs of visitors mode, by name, with what they hold. */
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
