import type { SimClock } from '../clock/clock.ts';
import { notFound, refuse } from './refusals.ts';
import type {
  Access,
  Capabilities,
  Comment,
  GitHubToken,
  GitHubUser,
  Permission,
  Reaction,
  ReactionContent,
  Repository,
  Thread,
  UserType,
  WorkflowRun,
} from './types.ts';

/** What `${{ github.token }}` stands for unless told otherwise, and the user that it writes as. */
export const DEFAULT_TOKEN = 'ghs_fake_0000simulated0000';
export const BOT_LOGIN = 'github-actions[bot]';

const ALL_ACCESS: Capabilities = {
  issues: 'write',
  'pull-requests': 'write',
  metadata: 'read',
  actions: 'read',
};

/** What there is on GitHub: one repository with its users, tokens, threads, comments, reactions and runs. */
export class GitHubStore {
  readonly repository: Repository;
  readonly threads = new Map<number, Thread>();
  /** All comments there ever were, ascending by id, the deleted ones included. */
  readonly comments: Comment[] = [];
  readonly tokens = new Map<string, GitHubToken>();
  readonly users = new Map<string, GitHubUser>();
  readonly runs = new Map<number, WorkflowRun>();
  /** How many milliseconds a comment that is written from now on takes to show in lists. */
  listLagMs: (comment: Comment) => number = () => 0;
  readonly #clock: SimClock;
  #nextId = 4_100_000_000;

  constructor(
    clock: SimClock,
    { id = 790_000_001, owner = 'octo-org', name = 'docs' }: Partial<Omit<Repository, 'archived'>>,
  ) {
    this.#clock = clock;
    this.repository = { id, owner, name, archived: false };
    this.addUser(BOT_LOGIN, { type: 'Bot', permission: 'none' });
    this.addUser('maintainer', { permission: 'admin' });
    this.addToken(DEFAULT_TOKEN);
  }

  get fullName(): string {
    return `${this.repository.owner}/${this.repository.name}`;
  }

  /** Tells who a login is; everybody else with a login is unknown to GitHub. */
  addUser(
    login: string,
    options: { permission?: Permission; roleName?: string; type?: UserType; association?: string } = {},
  ): GitHubUser {
    const { permission = 'read', roleName = permission, type = 'User' } = options;
    const association =
      options.association ?? (permission === 'read' || permission === 'none' ? 'NONE' : 'MEMBER');
    const id = this.users.get(login)?.id ?? this.#id();
    const user: GitHubUser = { login, id, type, permission, roleName, association };
    this.users.set(login, user);
    return user;
  }

  /** A token, whom it writes as, and what it may do: all that the action uses unless told otherwise. */
  addToken(value: string, capabilities: Partial<Capabilities> = {}, login: string = BOT_LOGIN): GitHubToken {
    const token: GitHubToken = { value, login, capabilities: { ...ALL_ACCESS, ...capabilities } };
    this.tokens.set(value, token);
    return token;
  }

  /** Changes what the default token may do; whatever is not named, it may. */
  restrict(capabilities: Partial<Capabilities>): void {
    this.addToken(DEFAULT_TOKEN, capabilities);
  }

  addThread(
    options: Partial<Pick<Thread, 'number' | 'isPullRequest' | 'state' | 'locked' | 'title' | 'author'>> = {},
  ): Thread {
    const number = options.number ?? this.threads.size + 1;
    const thread: Thread = {
      isPullRequest: false,
      state: 'open',
      locked: false,
      title: `Thread ${number}`,
      author: 'maintainer',
      ...options,
      id: this.#id(),
      number,
      createdAt: this.#clock.now(),
      reactions: [],
    };
    this.threads.set(number, thread);
    return thread;
  }

  addRun(id: number, event: string, createdAt: number = this.#clock.now()): WorkflowRun {
    const run: WorkflowRun = { id, event, createdAt };
    this.runs.set(id, run);
    return run;
  }

  /** Somebody writes a comment, on the website or through the API. */
  comment(login: string, number: number, body: string): Comment {
    if (!this.users.has(login)) this.addUser(login);
    const at = this.#clock.now();
    const comment: Comment = {
      id: this.#id(),
      number: this.thread(number).number,
      login,
      createdAt: at,
      updatedAt: at,
      listedAt: at,
      body,
      history: [{ body, at, by: login }],
      reactions: [],
      deleted: false,
    };
    comment.listedAt += this.listLagMs(comment);
    this.comments.push(comment);
    return comment;
  }

  /** Somebody edits a comment, on the website or through the API. */
  edit(id: number, body: string, by?: string): Comment {
    const comment = this.findComment(id);
    const at = this.#clock.now();
    comment.body = body;
    comment.updatedAt = at;
    comment.history.push({ body, at, by: by ?? comment.login });
    return comment;
  }

  delete(id: number): void {
    this.findComment(id).deleted = true;
  }

  /** The comments of a thread that are not deleted, in their order. */
  commentsOf(number: number): readonly Comment[] {
    return this.comments.filter((comment) => comment.number === number && !comment.deleted);
  }

  /** Those of them that the API's lists show by now. */
  listedComments(number: number): readonly Comment[] {
    return this.commentsOf(number).filter(({ listedAt }) => listedAt <= this.#clock.now());
  }

  /** The thread; refused with 404 where there is none, as all that is looked up. */
  thread(number: number): Thread {
    const thread = this.threads.get(number);
    if (thread === undefined) throw notFound();
    return thread;
  }

  findComment(id: number): Comment {
    const comment = this.comments.find((one) => one.id === id);
    if (comment === undefined || comment.deleted) throw notFound();
    return comment;
  }

  findUser(login: string): GitHubUser | undefined {
    return this.users.get(login);
  }

  /** Adds a reaction, or finds the one that login has there already. */
  react(
    target: Comment | Thread,
    content: ReactionContent,
    login: string,
  ): { reaction: Reaction; isNew: boolean } {
    const existing = target.reactions.find(
      (reaction) => reaction.content === content && reaction.login === login,
    );
    if (existing !== undefined) return { reaction: existing, isNew: false };
    const reaction: Reaction = { id: this.#id(), content, login, at: this.#clock.now() };
    target.reactions.push(reaction);
    return { reaction, isNew: true };
  }

  /** Refuses a token that lacks the access, and a write to a repository that was archived. */
  require(token: GitHubToken, capability: keyof Capabilities, access: Access): void {
    const rank: readonly Access[] = ['none', 'read', 'write'];
    if (rank.indexOf(token.capabilities[capability]) < rank.indexOf(access)) {
      throw refuse(403, 'Resource not accessible by integration');
    }
    if (access === 'write' && this.repository.archived)
      throw refuse(403, 'Repository was archived so is read-only.');
  }

  /** What a token needs for a thread's comments: GitHub keeps issues and pull requests apart. */
  capabilityFor(number: number): 'issues' | 'pull-requests' {
    return this.thread(number).isPullRequest ? 'pull-requests' : 'issues';
  }

  #id(): number {
    this.#nextId += 1;
    return this.#nextId;
  }
}
