import type { SimClock } from '../clock/clock.ts';
import { notFound, refuse } from './refusals.ts';
import { GitRepository } from './repository/git.ts';
import type {
  Access,
  Capabilities,
  Comment,
  GitHubToken,
  GitHubUser,
  Reaction,
  Thread,
  WorkflowRun,
} from './types.ts';

/** The value of `${{ github.token }}`, and the user it writes as. */
export const DEFAULT_TOKEN = 'ghs_fake_0000simulated0000';
export const BOT_LOGIN = 'github-actions[bot]';

const PUBLIC_ACCESS: Capabilities = {
  ...{
    issues: 'read',
    'pull-requests': 'read',
    metadata: 'read',
    actions: 'read',
    contents: 'read',
  },
  checks: 'read',
};

const ALL_ACCESS: Capabilities = {
  issues: 'write',
  'pull-requests': 'write',
  metadata: 'read',
  actions: 'read',
  contents: 'read',
  checks: 'read',
};

/** All data on GitHub: one repository with its users, tokens, threads, comments, commits, and runs. */
export class GitHubStore {
  repository = { id: 790_000_001, owner: 'octo-org', name: 'docs', isPrivate: false };
  /** Earlier names, as `owner/name`, which GitHub redirects. */
  readonly formerNames = new Set<string>();
  readonly threads = new Map<number, Thread>();
  readonly comments: Comment[] = [];
  readonly tokens = new Map<string, GitHubToken>();
  readonly users = new Map<string, GitHubUser>();
  readonly runs = new Map<number, WorkflowRun>();
  readonly git: GitRepository;
  /** Whether a token is valid, but for another repository. It can read this one only if that is public. */
  isKnownElsewhere = (_: string) => false;
  /** GitHub's limits for lists. Tests may lower them. */
  readonly listLimits = {
    comparedFiles: 300,
    comparedCommits: 250,
    pullRequestFiles: 3_000,
    treeEntries: 100_000,
    /** For all patches in one response. */
    patchLines: 20_000,
  };
  /** Whether the workflow's token can edit its comments in locked threads. GitHub doesn't document that. */
  mayEditInLocked = true;
  /** The rest of the token's hourly rate limit, which every response reports. */
  requestsLeft = 1_000;
  /** The delay, in milliseconds, until a new comment appears in lists. */
  listLagMs: (comment: Comment) => number = () => 0;
  readonly #clock: SimClock;
  #nextId = 4_100_000_000;

  constructor(clock: SimClock) {
    this.#clock = clock;
    this.git = new GitRepository(clock);
    this.addUser(BOT_LOGIN, { type: 'Bot', permission: 'none' });
    this.addUser('maintainer', { permission: 'admin' });
    this.addToken(DEFAULT_TOKEN);
  }

  now(): number {
    return this.#clock.now();
  }

  get fullName(): string {
    return `${this.repository.owner}/${this.repository.name}`;
  }

  rename(name: string): void {
    this.formerNames.add(this.fullName);
    this.repository = { ...this.repository, name };
  }

  /** Adds or replaces a user. Unknown users have no permissions. */
  addUser(login: string, options: Partial<Omit<GitHubUser, 'login'>> = {}): void {
    this.users.set(login, { login, type: 'User', permission: 'read', ...options });
  }

  /** Adds a token of the workflow. By default, it has all permissions that the action needs. */
  addToken(value: string, capabilities: Partial<Capabilities> = {}): void {
    this.tokens.set(value, { login: BOT_LOGIN, capabilities: { ...ALL_ACCESS, ...capabilities } });
  }

  /** Changes permissions of the default token. Permissions that aren't listed are granted. */
  restrict(capabilities: Partial<Capabilities>): void {
    this.addToken(DEFAULT_TOKEN, capabilities);
  }

  addThread(options: Partial<Omit<Thread, 'createdAt' | 'reactions'>> = {}): Thread {
    const number = options.number ?? this.threads.size + 1;
    const thread: Thread = {
      isPullRequest: false,
      state: 'open',
      locked: false,
      title: `Thread ${number}`,
      body: '',
      labels: [],
      author: 'maintainer',
      ...options,
      number,
      createdAt: this.#clock.now(),
      reactions: [],
    };
    this.threads.set(number, thread);
    return thread;
  }

  addRun(id: number, event: string): void {
    this.runs.set(id, { id, event, createdAt: this.#clock.now() });
  }

  /** Adds a comment, as the website or the API would. */
  comment(login: string, number: number, body: string): Comment {
    if (!this.users.has(login)) this.addUser(login);
    const at = this.#clock.now();
    const comment: Comment = {
      id: this.newId(),
      number: this.thread(number).number,
      login,
      createdAt: at,
      updatedAt: at,
      listedAt: at,
      body,
      history: [{ body, login }],
      reactions: [],
      deleted: false,
    };
    comment.listedAt += this.listLagMs(comment);
    this.comments.push(comment);
    return comment;
  }

  /** Edits a comment. By default, a person does so. */
  edit(id: number, body: string, login = 'maintainer'): Comment {
    const comment = this.findComment(id);
    comment.body = body;
    comment.updatedAt = this.#clock.now();
    comment.history.push({ body, login });
    return comment;
  }

  /** Hides a comment. GitHub doesn't document whether that counts as a change; it does here. */
  hide(id: number): void {
    const comment = this.findComment(id);
    comment.minimized = 'outdated';
    comment.updatedAt = this.#clock.now();
  }

  delete(id: number): void {
    this.findComment(id).deleted = true;
  }

  commentsOf(number: number): readonly Comment[] {
    return this.comments.filter((comment) => comment.number === number && !comment.deleted);
  }

  /** The comments that the API's lists already show. */
  listedComments(): readonly Comment[] {
    return this.comments.filter(
      ({ deleted, listedAt }) => !deleted && listedAt <= this.#clock.now(),
    );
  }

  thread(number: number): Thread {
    const thread = this.threads.get(number);
    if (thread === undefined) throw notFound();
    return thread;
  }

  findComment(id: number): Comment {
    const comment = this.comments.find((written) => written.id === id);
    if (comment === undefined || comment.deleted) throw notFound();
    return comment;
  }

  react({ reactions }: Pick<Comment, 'reactions'>, content: string, login: string) {
    const existing = reactions.find(
      (reaction) => reaction.content === content && reaction.login === login,
    );
    if (existing !== undefined) return { reaction: existing, isNew: false };
    const reaction: Reaction = { id: this.newId(), content, login };
    reactions.push(reaction);
    return { reaction, isNew: true };
  }

  /** The token with this value, with its permissions in this repository. */
  tokenOf(value: string): GitHubToken {
    const token = this.tokens.get(value);
    if (token !== undefined) return token;
    if (!this.isKnownElsewhere(value)) throw refuse(401, 'Bad credentials');
    if (this.repository.isPrivate) throw notFound();
    return { login: BOT_LOGIN, capabilities: PUBLIC_ACCESS };
  }

  /** Refuses the request unless one of these capabilities gives the token this access. */
  require(token: GitHubToken, capabilities: readonly (keyof Capabilities)[], access: Access): void {
    const rank: readonly Access[] = ['none', 'read', 'write'];
    const isEnough = capabilities.some(
      (name) => rank.indexOf(token.capabilities[name]) >= rank.indexOf(access),
    );
    if (!isEnough) throw refuse(403, 'Resource not accessible by integration');
  }

  /** The permission for a thread's comments. `issues` doesn't cover pull requests, and vice versa. */
  capabilityFor(number: number): 'issues' | 'pull-requests' {
    return this.thread(number).isPullRequest ? 'pull-requests' : 'issues';
  }

  newId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }
}
