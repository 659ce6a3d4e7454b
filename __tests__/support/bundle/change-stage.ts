import type { CommitOptions } from '../../../simulator/github/repository/git.ts';
import type {
  MergeMethod,
  OpenOptions,
} from '../../../simulator/github/repository/pull-requests.ts';
import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment, WebhookEvent } from '../../../simulator/github/types.ts';
import { dataIn } from '../prompts.ts';
import { Stage, type StageRun } from './stage.ts';

const usual = { prompt: 'Bring the docs up to date.', context: 'thread\nchanges' };

const before = { 'src/retry.ts': 'export const tries = 1;\n', 'README.md': '# Retry\n' };
const after = { 'src/retry.ts': 'export const tries = 3;\n' };

/** A stage for code changes. Create one per test file. */
export class ChangeStage extends Stage {
  override async reset(): Promise<void> {
    await super.reset();
    this.github.git.commit({ message: 'First', files: before });
  }

  open({ files = after, message = 'Try three times', ...options }: Change = {}): number {
    const head = `branch-${this.github.threads.size}`;
    this.github.git.branch(head);
    this.github.git.commit({ branch: head, message, files });
    const usual = { title: 'Retry three times', body: 'Since once is not enough.' };
    return this.github.pullRequests.open({ ...usual, ...options, head }).number;
  }

  /** Merges pull requests in one push, as a merge queue does. Returns the push event. */
  merge(numbers: readonly number[], method: MergeMethod = 'squash'): WebhookEvent {
    const before = this.github.git.find('main').sha;
    for (const number of numbers) this.github.pullRequests.merge(number, method);
    return this.github.pushEvent({ before, pusher: 'maintainer' });
  }

  /** Commits directly to `main`. Returns the push event. */
  push(options: CommitOptions = {}): WebhookEvent {
    const before = this.github.git.find('main').sha;
    this.github.git.commit({ message: 'Fix it', files: after, ...options });
    return this.github.pushEvent({ before, pusher: 'maintainer' });
  }

  release(tag: string): WebhookEvent {
    this.github.releases.add({ tag });
    return this.github.releaseEvent(tag, 'released');
  }

  override on(
    event: WebhookEvent,
    inputs: Readonly<Record<string, string>> = {},
  ): Promise<StageRun> {
    return super.on(event, { ...usual, ...inputs });
  }

  /** The GitHub data that was sent with a job's first prompt. */
  data(job = 0): string {
    return dataIn(this.jobs[job]?.prompts[0] ?? '').join('\n');
  }

  get comments(): readonly Comment[] {
    return this.github.comments.filter(({ login }) => login === BOT_LOGIN);
  }
}

type Change = Partial<Omit<OpenOptions, 'head'>> & Pick<CommitOptions, 'files' | 'message'>;
