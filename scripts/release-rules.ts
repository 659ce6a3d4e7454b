/* What a release must be, as pure functions: check-release.ts gathers what they judge. */

/** A tag that somebody has pushed, and what the repository says at its commit. */
export interface Candidate {
  readonly tag: string;
  readonly packageVersion: string;
  /** The two versions of the lock file: its own, and that of the package in it. */
  readonly lockVersions: readonly string[];
  readonly changelog: string;
  /** Whether the commit is a part of the main branch. */
  readonly isOnMain: boolean;
  /** The first and the last day that a release may bear, as YYYY-MM-DD. */
  readonly days: readonly [first: string, last: string];
  /** What GitHub has already. */
  readonly releases: readonly Release[];
}

/** A release of the repository. */
export interface Release {
  readonly tag: string;
  readonly draft: boolean;
  readonly notes: string;
}

interface Section {
  readonly version: string;
  /** What stands behind the version in its heading. */
  readonly remark: string;
  readonly text: string;
}

const plainTag = /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))$/;

/** Why a tag must not become a release, a line each; nothing where it may. */
export function releaseProblems(candidate: Candidate): string[] {
  const { tag, packageVersion, lockVersions, changelog, isOnMain, days } = candidate;
  const version = versionOf(tag);
  if (version === undefined) return [`${tag} is not vX.Y.Z: a release has no suffix and no other name.`];
  const differs = (file: string, found: string) =>
    found === version ? [] : [`${file} says ${found || 'nothing'}, the tag ${version}.`];
  const [section, ...more] = sectionsOf(changelog, version);
  return [
    ...differs('package.json', packageVersion),
    ...lockVersions.flatMap((found) => differs('package-lock.json', found)),
    ...(section === undefined
      ? [`CHANGELOG.md has no section \`## ${version} (YYYY-MM-DD)\`.`]
      : [...sectionProblems(section, days), ...releasedProblems(candidate, section)]),
    ...(more.length === 0 ? [] : [`CHANGELOG.md has ${more.length + 1} sections on ${version}.`]),
    ...(isOnMain ? [] : [`The commit of ${tag} is not on main.`]),
  ];
}

/** The changelog's words on the release of a tag. @throws Error where there are none: `releaseProblems` tells it first. */
export function notesOf(changelog: string, tag: string): string {
  const [section] = sectionsOf(changelog, versionOf(tag) ?? '');
  if (section === undefined) throw new Error(`CHANGELOG.md does not know ${tag}`);
  return `${section.text}\n`;
}

/** The tag that users follow, such as `v1` for `v1.4.2`. */
export function majorTagOf(tag: string): string {
  return tag.split('.')[0] ?? tag;
}

/** The tags vX.Y.Z that are published: a tag that was only pushed is no release. */
export function publishedTags(releases: readonly Release[]): string[] {
  return releases.filter(({ draft, tag }) => !draft && versionOf(tag) !== undefined).map(({ tag }) => tag);
}

/** Whether a tag is the latest of all releases: a fix of an older line is not, whatever its day. */
export function isLatest(tag: string, published: readonly string[]): boolean {
  return published.every((other) => comparedTo(tag, other) >= 0);
}

/** Whether the major tag goes to a tag: never to an older one of its line, so that a fix of that leaves it where it is. */
export function movesForward(tag: string, published: readonly string[]): boolean {
  const line = published.filter((other) => majorTagOf(other) === majorTagOf(tag));
  return isLatest(tag, line);
}

function versionOf(tag: string): string | undefined {
  return plainTag.exec(tag)?.[1];
}

function sectionProblems({ version, remark, text }: Section, days: Candidate['days']): string[] {
  const legible = text.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '');
  return [
    ...dateProblems(version, remark, days),
    ...(/[\p{L}\p{N}]/u.test(legible) ? [] : [`CHANGELOG.md says nothing about ${version}.`]),
  ];
}

function dateProblems(version: string, remark: string, [first, last]: Candidate['days']): string[] {
  const date = /^\((\d{4}-\d{2}-\d{2})\)$/.exec(remark)?.[1];
  if (date === undefined || !isDay(date))
    return [`CHANGELOG.md gives no date for ${version}, but \`${remark}\`.`];
  return first <= date && date <= last
    ? []
    : [`CHANGELOG.md dates ${version} ${date}, and not from ${first} to ${last}.`];
}

/** A release that is there already is gone on with, to move the major tag, only where it is the one that would be made. */
function releasedProblems({ tag, releases }: Candidate, { text }: Section): string[] {
  return releases
    .filter((release) => release.tag === tag)
    .flatMap(({ draft, notes }) => {
      if (draft) return [`There is a draft of ${tag}: delete it, the release is made from CHANGELOG.md.`];
      return withPlainLines(notes).trim() === text
        ? []
        : [`${tag} is published with other notes than those of CHANGELOG.md.`];
    });
}

/** The sections on a version. */
function sectionsOf(changelog: string, version: string): Section[] {
  const lines = withPlainLines(changelog).split('\n');
  const starts = headingsIn(lines);
  return starts
    .map((start, place) => {
      const [, name = '', ...remark] = (lines[start] ?? '').trim().split(' ');
      const body = lines.slice(start + 1, starts[place + 1]);
      return { version: name, remark: remark.join(' '), text: body.join('\n').trim() };
    })
    .filter((section) => section.version === version);
}

/** Which lines are headings of sections: what stands in a code block or a comment is none. */
function headingsIn(lines: readonly string[]): number[] {
  let closing: RegExp | undefined;
  return lines.flatMap((line, place) => {
    const isInside = closing !== undefined;
    if (closing === undefined) closing = closingOf(line);
    else if (closing.test(line)) closing = undefined;
    return !isInside && line.startsWith('## ') ? [place] : [];
  });
}

/** What ends the code block or the comment that a line opens, perhaps in a list; nothing where it opens none. */
function closingOf(line: string): RegExp | undefined {
  const fence = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) return new RegExp(`^\\s*${fence}[\`~]*\\s*$`);
  return /^\s*<!--(?!.*-->)/.test(line) ? /-->/ : undefined;
}

function withPlainLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Whether a day of this name exists. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

function comparedTo(one: string, other: string): number {
  const [a, b] = [one, other].map((tag) => (versionOf(tag) ?? '').split('.').map(Number));
  const difference = a?.map((number, place) => number - (b?.[place] ?? 0)).find((by) => by !== 0);
  return difference ?? 0;
}
