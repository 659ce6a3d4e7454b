import { notFound } from '../refusals.ts';
import type { GitHubStore } from '../store.ts';

export interface Release {
  readonly tag: string;
  readonly body: string;
  readonly author: string;
  /** The date of the tagged commit, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly publishedAt: number;
  isPrerelease: boolean;
}

export class Releases {
  readonly #store: GitHubStore;
  readonly #all: Release[] = [];

  constructor(store: GitHubStore) {
    this.#store = store;
  }

  /** Publishes a release. If its tag doesn't exist, it is created on the last commit of `main`. */
  add({
    tag,
    body = '',
    isPrerelease = false,
  }: Pick<Release, 'tag'> & Partial<Pick<Release, 'body' | 'isPrerelease'>>): void {
    const { git } = this.#store;
    if (!git.tags.has(tag)) git.tag(tag);
    const dates = { createdAt: git.find(tag).at, publishedAt: this.#store.now() };
    this.#all.push({ tag, body, author: 'maintainer', ...dates, isPrerelease });
  }

  /** Makes a prerelease a full release. Its tag and the date of its publication stay. */
  promote(tag: string): void {
    this.get(tag).isPrerelease = false;
  }

  /** The newest commit comes first. GitHub doesn't document the order of its list. */
  listed(): readonly Release[] {
    return this.#all.toReversed().sort((one, other) => other.createdAt - one.createdAt);
  }

  /** The release with this tag. Throws a 404 if there is none. */
  get(tag: string): Release {
    const release = this.#all.find((published) => published.tag === tag);
    if (release === undefined) throw notFound();
    return release;
  }
}
