export interface GitHubUser {
  readonly login: string;
  readonly type: 'User' | 'Bot';
  readonly permission: 'admin' | 'write' | 'read' | 'none';
  /** Whether a commit by this user is in the repository. */
  readonly isContributor?: boolean;
}

export type Access = 'none' | 'read' | 'write';
/** A token's permissions, as in a workflow's `permissions:`. */
export type Capabilities = Record<
  'issues' | 'pull-requests' | 'metadata' | 'actions' | 'contents' | 'checks',
  Access
>;

export interface GitHubToken {
  readonly login: string;
  readonly capabilities: Capabilities;
}

export interface Reaction {
  readonly id: number;
  /** GitHub's name for the emoji. */
  readonly content: string;
  readonly login: string;
}

export interface Thread {
  readonly number: number;
  readonly isPullRequest: boolean;
  readonly title: string;
  readonly author: string;
  readonly createdAt: number;
  readonly reactions: Reaction[];
  body: string;
  labels: readonly string[];
  state: 'open' | 'closed';
  locked: boolean;
}

export interface Comment {
  readonly id: number;
  readonly number: number;
  readonly login: string;
  readonly createdAt: number;
  updatedAt: number;
  /** The time at which lists start to show the comment. Requests by ID find it immediately. */
  listedAt: number;
  body: string;
  /** Why someone hid the comment; `undefined` if no one did. */
  minimized?: string;
  /** All versions of the text, from the first to the current one, and who wrote them. */
  readonly history: { readonly body: string; readonly login: string }[];
  readonly reactions: Reaction[];
  deleted: boolean;
}

export interface WorkflowRun {
  readonly id: number;
  readonly createdAt: number;
  readonly event: string;
}

/** A webhook event, which a run reads from GITHUB_EVENT_NAME and GITHUB_EVENT_PATH. */
export interface WebhookEvent {
  readonly name: string;
  readonly actor: string;
  readonly payload: Readonly<Record<string, unknown>>;
}
