import { notFound } from '../refusals.ts';
import type { GitHubStore } from '../store.ts';

export interface Release {
  readonly id: number;
  readonly tag: string;
  readonly name: string;
  readonly body: string;
  readonly author: string;
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  /** The date of the tagged commit, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly publishedAt: number | null;
}

/** The releases of a repository. */
export class Releases {
  readonly #store: GitHubStore;
  readonly #all: Release[] = [];

  constructor(store: GitHubStore) {
    this.#store = store;
  }

  /** Adds a release or a draft. If the release's tag doesn't exist, it is created on the last commit of `main`. */
  add(options: Partial<Release> & Pick<Release, 'tag'>): Release {
    const { git } = this.#store;
    const { tag, isDraft = false } = options;
    if (!git.tags.has(tag) && !isDraft) git.tag(tag);
    const release: Release = {
      id: 70_000 + this.#all.length,
      name: tag,
      body: '',
      author: 'maintainer',
      isDraft,
      isPrerelease: false,
      createdAt: git.resolve(tag)?.at ?? this.#store.now(),
      publishedAt: isDraft ? null : this.#store.now(),
      ...options,
    };
    this.#all.push(release);
    return release;
  }

  /** The newest commit comes first. GitHub doesn't document the order of its list. */
  listed(): readonly Release[] {
    return this.#all.toSorted((one, other) => other.createdAt - one.createdAt || other.id - one.id);
  }

  /** The published release with this tag. Throws a 404 if there is none. */
  get(tag: string): Release {
    const release = this.#all.find((one) => one.tag === tag && !one.isDraft);
    if (release === undefined) throw notFound();
    return release;
  }
}
