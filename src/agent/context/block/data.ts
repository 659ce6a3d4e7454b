import type { ChangedFile, FileList } from '../../../github/changes.ts';
import type { Scrub } from '../../../text/scrub.ts';
import type { FileFilter } from '../paths.ts';
import type { Subject } from '../subject.ts';
import { type Clean, createClean } from './clean.ts';
import { fileLine } from './files.ts';
import { headLines, mergedLine, nameOf, releaseLines, threadLines, titleOf } from './heads.ts';
import { describeLeftOut, type LeftOut } from './left-out.ts';
import { type NamedOnly, whyNamedOnly } from './noise.ts';
import { lineBytes, Page } from './page.ts';
import { choosePatches } from './patches.ts';

/** Room that is kept for the words about what was left out, in bytes: they hold nothing from outside but counts. */
const leftOutBytes = 1024;

/** The most bytes that a section takes; of a small limit no more than a share, so that the sections behind it have room. */
const sections = {
  labels: { bytes: 512, share: 1 / 12 },
  text: { bytes: 4 * 1024, share: 1 / 6 },
  titles: { bytes: 4 * 1024, share: 1 / 6 },
  fileNames: { bytes: 8 * 1024, share: 1 / 3 },
};

export interface DataOptions {
  /** The most that is added to the prompt, in bytes of UTF-8; at least 8 KiB: who and what alone can take three quarters of that. */
  readonly limitBytes: number;
  /** The files that `paths` chooses: the patches of others stay out. */
  readonly isChosen: FileFilter;
  /** Takes the key and the token out of what comes from GitHub. */
  readonly scrub: Scrub;
  /** `false` for the second try, when the service refused the prompt for its size. */
  readonly withPatches: boolean;
}

/**
 * What the agent is told of a subject, and what is left out of it: who and what, then the words of people, then names, then
 * patches as far as there is room.
 *
 * @param bytes how many bytes of UTF-8 the lines take at most, each with its newline.
 */
export function dataWithin(
  bytes: number,
  subject: Subject,
  options: DataOptions,
): { readonly lines: readonly string[]; readonly leftOut: LeftOut } {
  const { thread, release, pullRequests, commits } = subject;
  const clean = createClean(options.scrub);
  const page = new Page(bytes - leftOutBytes);
  const most = (section: keyof typeof sections) =>
    Math.min(sections[section].bytes, Math.floor(options.limitBytes * sections[section].share));

  page.add('', ...headLines(subject, clean));
  if (thread !== undefined) page.add('', ...threadLines(thread.issue, clean));
  const labels = (thread?.issue.labels ?? []).map((label) => `- ${nameOf(label, clean)}`);
  const labelsMissing = page.addList('Labels:', labels, most('labels'));
  const body = thread === undefined || thread.isBodyEdited ? '' : thread.issue.body.rendered;
  const bodyBytes = page.addText('Description:', clean.paragraphs(body), most('text'));

  if (release !== undefined) page.add('', ...releaseLines(release, clean));
  const notes = clean.paragraphs(release?.notes.rendered ?? '');
  const notesBytes = page.addText('Release notes:', notes, most('text'));

  const titles = pullRequests.map((pull) => mergedLine(pull, clean));
  const titlesMissing = page.addList('Pull requests in it:', titles, most('titles'));
  const firstLines = commits.known.map(
    ({ sha, message }) => `- ${nameOf(sha.slice(0, 7), clean)} ${titleOf(firstLine(message), clean)}`,
  );
  const commitsMissing = page.addList('Commits, the oldest first:', firstLines, most('titles'));

  const leftOut: LeftOut = {
    editedBody: thread?.isBodyEdited ?? false,
    bodyBytes,
    notesBytes,
    labels: labelsMissing,
    pullRequests: titlesMissing,
    commits: commits.total - commits.known.length + commitsMissing,
    ...addFiles(page, subject.files ?? noFiles, most('fileNames'), clean, options),
  };
  const words = describeLeftOut(leftOut);
  return { lines: words === undefined ? page.lines : [...page.lines, '', words], leftOut };
}

const noFiles: FileList = { files: [], isWhole: true };

/** Adds the names of the files and the patches that are for the agent. */
function addFiles(
  page: Page,
  { files, isWhole }: FileList,
  namesBytes: number,
  clean: Clean,
  { isChosen, withPatches }: DataOptions,
): Pick<LeftOut, 'fileNames' | 'namedOnly' | 'hunks' | 'patchesRefused' | 'listedOfMore'> {
  const namedOnly = { excluded: 0, 'lock-file': 0, minified: 0, snapshot: 0, 'no-patch': 0 };
  const [telling, others]: [ChangedFile[], ChangedFile[]] = [[], []];
  for (const file of files) {
    const why: NamedOnly | undefined = whyNamedOnly(file, isChosen);
    if (why !== undefined) namedOnly[why] += 1;
    (why === undefined ? telling : others).push(file);
  }
  const count = `${isWhole ? '' : 'at least '}${files.length.toLocaleString('en')}`;
  const names = [...telling, ...others].map((file) => fileLine(file, clean));
  const fileNames = page.addList(`Files changed (${count}):`, names, namesBytes);
  const heading = ['', 'Patches, in whole hunks:'];
  const headingBytes = heading.reduce((sum, line) => sum + lineBytes(line), 0);
  const patches = choosePatches(telling, withPatches ? page.left - headingBytes : 0, clean);
  if (patches.lines.length > 0) page.add(...heading, ...patches.lines);
  return {
    fileNames,
    namedOnly,
    hunks: { missing: patches.missing, of: patches.of },
    patchesRefused: !withPatches,
    listedOfMore: isWhole ? undefined : files.length,
  };
}

function firstLine(message: string): string {
  return message.trimStart().split(/[\r\n]/, 1)[0] ?? '';
}
