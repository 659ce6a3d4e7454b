/* What a release must be, as pure functions: check-release.ts gathers what they judge. */

/** A tag that somebody has pushed, and what the repository says at its commit. */
export interface Candidate {
  readonly tag: string;
  readonly packageVersion: string;
  readonly lockVersion: string;
  readonly changelog: string;
  /** Whether the commit is a part of the main branch. */
  readonly isOnMain: boolean;
}

interface Section {
  /** What stands behind the version in its heading. */
  readonly remark: string;
  readonly text: string;
}

const plainTag = /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))$/;

/** Why a tag must not become a release, a line each; nothing where it may. */
export function releaseProblems(candidate: Candidate): string[] {
  const { tag, packageVersion, lockVersion, changelog, isOnMain } = candidate;
  const version = versionOf(tag);
  if (version === undefined) return [`${tag} is not vX.Y.Z: a release has no suffix and no other name.`];
  const differs = (file: string, found: string) =>
    found === version ? [] : [`${file} says ${found || 'nothing'}, the tag ${version}.`];
  return [
    ...differs('package.json', packageVersion),
    ...differs('package-lock.json', lockVersion),
    ...sectionProblems(version, sectionOf(changelog, version)),
    ...(isOnMain ? [] : [`The commit of ${tag} is not on main.`]),
  ];
}

/** The changelog's words on the release of a tag. @throws Error where there are none: `releaseProblems` tells it first. */
export function notesOf(changelog: string, tag: string): string {
  const section = sectionOf(changelog, versionOf(tag) ?? '');
  if (section === undefined) throw new Error(`CHANGELOG.md does not know ${tag}`);
  return `${section.text}\n`;
}

/** The tag that users follow, such as `v1` for `v1.4.2`. */
export function majorTagOf(tag: string): string {
  return tag.split('.')[0] ?? tag;
}

/** Whether a tag that stands at these releases may move to another: never to an older one, so that a fix of an old line stays there. */
export function movesForward(tag: string, standsAt: readonly string[]): boolean {
  return standsAt.every((other) => comparedTo(tag, other) >= 0);
}

function versionOf(tag: string): string | undefined {
  return plainTag.exec(tag)?.[1];
}

function sectionProblems(version: string, section: Section | undefined): string[] {
  if (section === undefined) return [`CHANGELOG.md has no section \`## ${version} (YYYY-MM-DD)\`.`];
  const date = /^\((\d{4}-\d{2}-\d{2})\)$/.exec(section.remark)?.[1];
  return [
    ...(date !== undefined && isDay(date)
      ? []
      : [`CHANGELOG.md gives no date for ${version}, but \`${section.remark}\`.`]),
    ...(section.text === '' ? [`CHANGELOG.md says nothing about ${version}.`] : []),
  ];
}

function sectionOf(changelog: string, version: string): Section | undefined {
  const [, ...sections] = `\n${changelog}`.split(/\n## /);
  for (const section of sections) {
    const [heading = '', ...lines] = section.split('\n');
    const [name, ...remark] = heading.trim().split(' ');
    if (name === version) return { remark: remark.join(' '), text: lines.join('\n').trim() };
  }
  return undefined;
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
