import type { NamedOnly } from './noise.ts';

/** What of a subject the agent is not sent. */
export interface LeftOut {
  /** Whether the body was edited after the event. */
  readonly editedBody: boolean;
  /** Of the body and of the release notes, in bytes of UTF-8. */
  readonly bodyBytes: number;
  readonly notesBytes: number;
  readonly labels: number;
  readonly pullRequests: number;
  readonly commits: number;
  /** Files that are not even in the list of names. */
  readonly fileNames: number;
  /** Files whose patches are not for the agent, by why. */
  readonly namedOnly: Readonly<Record<NamedOnly, number>>;
  /** The hunks of all other files, and how many of them are not sent. */
  readonly hunks: { readonly missing: number; readonly of: number };
  /** Whether no patch is sent at all, since the service refused the prompt with them. */
  readonly patchesRefused: boolean;
  /** How many files GitHub lists, where there may be more of them; `undefined` where these are all. */
  readonly listedOfMore: number | undefined;
}

/** What was left out as one sentence, for the agent and for the summary; `undefined` where nothing was. */
export function describeLeftOut(leftOut: LeftOut): string | undefined {
  const { bodyBytes, notesBytes, labels, pullRequests, commits, fileNames, namedOnly, hunks, listedOfMore } =
    leftOut;
  const atLeast = listedOfMore === undefined ? '' : 'at least ';
  const patchless = kinds
    .filter(([why]) => namedOnly[why] > 0)
    .map(([why, noun, rest]) => `${atLeast}${counted(namedOnly[why], noun)}${rest}`);
  const parts = [
    leftOut.editedBody && 'the description, which was edited after the request',
    bodyBytes > 0 && `the last ${counted(bodyBytes, 'byte')} of the description`,
    notesBytes > 0 && `the last ${counted(notesBytes, 'byte')} of the release notes`,
    labels > 0 && counted(labels, 'label'),
    pullRequests > 0 && `the titles of ${counted(pullRequests, 'pull request')}`,
    commits > 0 && `the subjects of ${counted(commits, 'commit')}`,
    fileNames > 0 && `the names of ${atLeast}${counted(fileNames, 'file')}`,
    patchless.length > 0 && `the patches of ${patchless.join(', ')}`,
    hunks.missing > 0 &&
      `${hunks.missing.toLocaleString('en')} of ${counted(hunks.of, 'hunk')} of the patches${leftOut.patchesRefused ? ', since the service refused the prompt with them' : ''}`,
    listedOfMore !== undefined && `any file that GitHub’s list of ${listedOfMore.toLocaleString('en')} lacks`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : `Left out: ${parts.join('; ')}.`;
}

/** What the files are called whose patches are not sent, with their number before the noun. */
const kinds: readonly (readonly [NamedOnly, string, string])[] = [
  ['excluded', 'file', ' that `paths` leaves out'],
  ['lock-file', 'lock file', ''],
  ['minified', 'minified file', ''],
  ['snapshot', 'test snapshot', ''],
  ['no-patch', 'file', ' without a patch from GitHub (binary, or too large)'],
];

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
