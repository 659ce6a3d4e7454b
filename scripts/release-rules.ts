/* The rules for a release, as pure functions. check-release.ts collects the facts that they need. */

/** A pushed tag, and the facts that decide whether it can be released. */
export interface Candidate {
  readonly tag: string;
  readonly packageVersion: string;
  /** package-lock.json contains the version twice: at its top, and for the root package. */
  readonly lockVersions: readonly string[];
  /** Where a reusable workflow runs the action, as `file:uses: action@commit # tag`. */
  readonly uses: readonly string[];
  /** The commits before the tagged one: one, or several for a merge. */
  readonly parents: readonly string[];
  /** The files that the tagged commit changes, and the lines that it adds or removes, without the sign. */
  readonly changedFiles: readonly string[];
  readonly changedLines: readonly string[];
  readonly changelog: string;
  readonly isOnMain: boolean;
  /** The first and last allowed release date, as YYYY-MM-DD. */
  readonly days: readonly [first: string, last: string];
  readonly releases: readonly Release[];
}

/** A release on GitHub. */
export interface Release {
  readonly tag: string;
  readonly draft: boolean;
  readonly notes: string;
}

interface Section {
  readonly version: string;
  /** The heading's text after the version, such as `(2026-01-31)`. */
  readonly remark: string;
  readonly text: string;
}

const plainTag = /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))$/;

/** HTML comments and fenced code blocks, even in lists. A `##` inside them isn't a heading. */
const notProse = /<!--[\s\S]*?-->|^[^`~\n]*(`{3,}|~{3,})[\s\S]*?^\s*\1[`~]*\s*?$/gm;

/** The reasons why a tag can't become a release, one line each. */
export function releaseProblems(candidate: Candidate): string[] {
  const { tag, packageVersion, lockVersions, changelog, isOnMain, days } = candidate;
  const version = versionOf(tag);
  if (version === undefined)
    return [`${tag} is not vX.Y.Z. A release has no suffix and no other name.`];
  const differs = (file: string, found: string) =>
    found === version ? [] : [`${file} says ${found || 'nothing'}, but the tag says ${version}.`];
  const [section, ...more] = sectionsOf(changelog, version);
  return [
    ...differs('package.json', packageVersion),
    ...lockVersions.flatMap((found) => differs('package-lock.json', found)),
    ...pinProblems(candidate),
    ...(section === undefined
      ? [`CHANGELOG.md has no section \`## ${version} (YYYY-MM-DD)\`.`]
      : [...sectionProblems(section, days), ...releasedProblems(candidate, section)]),
    ...(more.length === 0 ? [] : [`CHANGELOG.md has ${more.length + 1} sections for ${version}.`]),
    ...(isOnMain ? [] : [`The commit of ${tag} is not on main.`]),
  ];
}

/**
 * A release is two commits, because a commit can't contain its own hash: the second one only writes the hash of the first into
 * the reusable workflows.
 */
function pinProblems(candidate: Candidate): string[] {
  const { tag, uses, parents, changedFiles, changedLines } = candidate;
  const [code, ...others] = parents;
  if (code === undefined || others.length > 0)
    return [`The commit of ${tag} must follow the commit with the code, and not be a merge.`];
  const pin = `uses: docs-agent/docs-agent@${code} # ${tag}`;
  const wrongUses = uses.filter((line) => !line.endsWith(pin));
  const isPin = (line: string) => /^\s*(- )?uses: docs-agent\/docs-agent@\S+ # v\S+$/.test(line);
  const hasPin = (file: string) => uses.some((line) => line.startsWith(`${file}:`));
  const isOnlyPin = changedFiles.every(hasPin) && changedLines.every(isPin);
  return [
    ...(uses.length > 0 ? [] : ['No reusable workflow runs the action.']),
    ...wrongUses.map((line) => `${line} must end in \`${pin}\`.`),
    ...(isOnlyPin ? [] : [`The commit of ${tag} changes more than the \`uses:\` of the action.`]),
  ];
}

/** The changelog's section for a tag. @throws Error if there is none. `releaseProblems` reports that first. */
export function notesOf(changelog: string, tag: string): string {
  const [section] = sectionsOf(changelog, versionOf(tag) ?? '');
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${tag}`);
  return `${section.text}\n`;
}

/** The major tag, which users follow: `v1` for `v1.4.2`. */
export function majorTagOf(tag: string): string {
  return tag.split('.')[0] ?? tag;
}

/** The vX.Y.Z tags that have a published release. */
export function publishedTags(releases: readonly Release[]): string[] {
  return releases
    .filter(({ draft, tag }) => !draft && versionOf(tag) !== undefined)
    .map(({ tag }) => tag);
}

/** Whether no release has a higher version. A fix for an older major version is never the latest release. */
export function isLatest(tag: string, published: readonly string[]): boolean {
  return published.every((other) => tag.localeCompare(other, 'en', { numeric: true }) >= 0);
}

/** Whether the major tag moves to this tag. It never moves back to an older version. */
export function movesForward(tag: string, published: readonly string[]): boolean {
  return isLatest(
    tag,
    published.filter((other) => majorTagOf(other) === majorTagOf(tag)),
  );
}

function versionOf(tag: string): string | undefined {
  return plainTag.exec(tag)?.[1];
}

function sectionProblems(
  { version, remark, text }: Section,
  [first, last]: Candidate['days'],
): string[] {
  const date = /^\((\d{4}-\d{2}-\d{2})\)$/.exec(remark)?.[1] ?? '';
  const isEmpty = !/[\p{L}\p{N}]/u.test(text.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, ''));
  return [
    ...(isDay(date) ? [] : [`CHANGELOG.md has \`${remark}\` instead of a date for ${version}.`]),
    ...(isDay(date) && (date < first || date > last)
      ? [`CHANGELOG.md dates ${version} ${date}, which is not between ${first} and ${last}.`]
      : []),
    ...(isEmpty ? [`CHANGELOG.md says nothing about ${version}.`] : []),
  ];
}

/** A tag may already have a release if its notes match the changelog, so that a re-run can still move the major tag. */
function releasedProblems({ tag, releases }: Candidate, { text }: Section): string[] {
  return releases
    .filter((release) => release.tag === tag)
    .flatMap(({ draft, notes }) => {
      if (draft)
        return [`There is a draft of ${tag}. Delete it: the release is created from CHANGELOG.md.`];
      return withPlainLines(notes).trim() === text
        ? []
        : [`${tag} is already published, with notes that differ from CHANGELOG.md.`];
    });
}

function sectionsOf(changelog: string, version: string): Section[] {
  const text = withPlainLines(changelog);
  const prose = text.replaceAll(notProse, (part) => part.replaceAll('#', ' '));
  const headings = [...prose.matchAll(/^## (\S+) ?(.*)$/gm)];
  return headings
    .map(({ index, 0: heading, 1: name = '', 2: remark = '' }, place) => {
      const body = text.slice(index + heading.length, headings[place + 1]?.index);
      return { version: name, remark: remark.trim(), text: body.trim() };
    })
    .filter((section) => section.version === version);
}

function withPlainLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
