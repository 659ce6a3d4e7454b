/* The rules for a release, as pure functions. check-release.ts gathers the facts. */

/** A pushed tag, and what the repository says at its commit. */
export interface Candidate {
  readonly tag: string;
  readonly packageVersion: string;
  /** The lock file's two versions: its own, and the root package's. */
  readonly lockVersions: readonly string[];
  readonly changelog: string;
  /** Whether the commit is on the main branch. */
  readonly isOnMain: boolean;
  /** The first and last day that a release may have, as YYYY-MM-DD. */
  readonly days: readonly [first: string, last: string];
  /** The releases that GitHub lists. */
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
  /** The rest of the heading. */
  readonly remark: string;
  readonly text: string;
}

const plainTag = /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))$/;

/** Comments and fenced code blocks, even in lists: a `##` inside them isn't a heading. */
const notProse = /<!--[\s\S]*?-->|^[^`~\n]*(`{3,}|~{3,})[\s\S]*?^\s*\1[`~]*\s*?$/gm;

/** Why a tag can't become a release, one line each. */
export function releaseProblems(candidate: Candidate): string[] {
  const { tag, packageVersion, lockVersions, changelog, isOnMain, days } = candidate;
  const version = versionOf(tag);
  if (version === undefined) return [`${tag} is not vX.Y.Z. A release has no suffix and no other name.`];
  const differs = (file: string, found: string) =>
    found === version ? [] : [`${file} says ${found || 'nothing'}, but the tag says ${version}.`];
  const [section, ...more] = sectionsOf(changelog, version);
  return [
    ...differs('package.json', packageVersion),
    ...lockVersions.flatMap((found) => differs('package-lock.json', found)),
    ...(section === undefined
      ? [`CHANGELOG.md has no section \`## ${version} (YYYY-MM-DD)\`.`]
      : [...sectionProblems(section, days), ...releasedProblems(candidate, section)]),
    ...(more.length === 0 ? [] : [`CHANGELOG.md has ${more.length + 1} sections for ${version}.`]),
    ...(isOnMain ? [] : [`The commit of ${tag} is not on main.`]),
  ];
}

/** The changelog's section about a tag's release. @throws Error if there is none, which `releaseProblems` reports first. */
export function notesOf(changelog: string, tag: string): string {
  const [section] = sectionsOf(changelog, versionOf(tag) ?? '');
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${tag}`);
  return `${section.text}\n`;
}

/** The tag that users follow, such as `v1` for `v1.4.2`. */
export function majorTagOf(tag: string): string {
  return tag.split('.')[0] ?? tag;
}

/** The published vX.Y.Z tags. A tag that was only pushed is not a release. */
export function publishedTags(releases: readonly Release[]): string[] {
  return releases.filter(({ draft, tag }) => !draft && versionOf(tag) !== undefined).map(({ tag }) => tag);
}

/** Whether a tag is the highest of all releases. A fix for an older line is not, however recent. */
export function isLatest(tag: string, published: readonly string[]): boolean {
  return published.every((other) => tag.localeCompare(other, 'en', { numeric: true }) >= 0);
}

/** Whether the major tag moves to a tag: never to an older release of its line. */
export function movesForward(tag: string, published: readonly string[]): boolean {
  return isLatest(
    tag,
    published.filter((other) => majorTagOf(other) === majorTagOf(tag)),
  );
}

function versionOf(tag: string): string | undefined {
  return plainTag.exec(tag)?.[1];
}

function sectionProblems({ version, remark, text }: Section, [first, last]: Candidate['days']): string[] {
  const date = /^\((\d{4}-\d{2}-\d{2})\)$/.exec(remark)?.[1];
  const isEmpty = !/[\p{L}\p{N}]/u.test(text.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, ''));
  return [
    ...(date === undefined || !isDay(date)
      ? [`CHANGELOG.md has \`${remark}\` instead of a date for ${version}.`]
      : []),
    ...(date !== undefined && isDay(date) && (date < first || date > last)
      ? [`CHANGELOG.md dates ${version} ${date}, which is not between ${first} and ${last}.`]
      : []),
    ...(isEmpty ? [`CHANGELOG.md says nothing about ${version}.`] : []),
  ];
}

/** A run that already published may continue and move the major tag, if the release is the one it would create. */
function releasedProblems({ tag, releases }: Candidate, { text }: Section): string[] {
  return releases
    .filter((release) => release.tag === tag)
    .flatMap(({ draft, notes }) => {
      if (draft) return [`There is a draft of ${tag}. Delete it: the release is created from CHANGELOG.md.`];
      return withPlainLines(notes).trim() === text
        ? []
        : [`${tag} is already published, with notes that differ from CHANGELOG.md.`];
    });
}

/** The sections about a version. */
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

/** Whether such a day exists. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
