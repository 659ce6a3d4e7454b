import { expect } from '@jest/globals';
import { BOT_LOGIN, DEFAULT_TOKEN } from '../../../simulator/github/store.ts';
import type { Comment, WebhookEvent } from '../../../simulator/github/types.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import type { Simulator } from '../../../simulator/index.ts';
import type { RunOptions, RunResult } from '../../../simulator/runner/runner.ts';
import { requestIn } from '../prompts.ts';
import { serviceInputs, THREAD } from '../usual.ts';
import { post, rerun, runAction } from './run.ts';
import { useSimulator } from './stage.ts';

/** One run of the action, and what it sent. */
export interface ThreadRun extends RunResult {
  readonly github: readonly RecordedRequest[];
  readonly service: readonly RecordedRequest[];
}

/** A command in a thread, its run, and the comment it was given in. */
export interface Said extends ThreadRun {
  readonly command: Comment;
}

type Overrides = Partial<Omit<RunOptions, 'inputs'>> & { readonly inputs?: Record<string, string> };

/** One repository with one thread, and people who write in it. */
export class ThreadStage {
  readonly #current: () => Simulator;
  /** Begins anew, with an empty repository. */
  readonly reset: () => Promise<void>;

  /** Call it once in a test file; every test gets a simulator of its own. */
  constructor(prepare: (simulator: Simulator) => void = () => undefined) {
    const { current, reset } = useSimulator((simulator) => {
      simulator.github.addThread({ number: THREAD });
      prepare(simulator);
    });
    this.#current = current;
    this.reset = reset;
  }

  get simulator(): Simulator {
    return this.#current();
  }

  /** Replaces the thread by one that is otherwise. */
  threadIs(thread: Parameters<Simulator['github']['addThread']>[0]): void {
    this.simulator.github.addThread({ number: THREAD, ...thread });
  }

  get jobs() {
    return this.simulator.service.jobs;
  }

  /** What every job was asked for, message by message, without the data from GitHub. */
  get requests(): readonly (readonly string[])[] {
    return this.jobs.map(({ prompts }) => prompts.map(requestIn));
  }

  /** A comment, and the workflow's run on it. */
  async say(
    body: string,
    { login = 'maintainer', thread = THREAD, ...options }: SayOptions = {},
  ): Promise<Said> {
    const { github } = this.simulator;
    const command = github.comment(login, thread, body);
    const played = await this.play({ event: github.issueCommentEvent(command), ...options });
    return { ...played, command };
  }

  /** The workflow runs on an event. */
  async play({ inputs, ...options }: Overrides): Promise<ThreadRun> {
    return this.#watch(() =>
      runAction({
        simulator: this.simulator,
        inputs: { ...serviceInputs(this.simulator), ...inputs },
        ...options,
      }),
    );
  }

  /** "Re-run jobs" on a run, perhaps with other inputs than before. */
  async again(run: RunResult, { inputs, ...options }: Overrides = {}): Promise<ThreadRun> {
    return this.#watch(() => rerun(run, { inputs: { ...run.options.inputs, ...inputs }, ...options }));
  }

  /** What the action wrote in a thread and a reader sees there. */
  written(thread = THREAD): readonly Comment[] {
    return this.simulator.github.commentsOf(thread).filter(({ login }) => login === BOT_LOGIN);
  }

  /** The one comment of the action in the thread. */
  get status(): Comment {
    return this.statusIn(THREAD);
  }

  /** The one comment of the action in a thread. */
  statusIn(thread: number): Comment {
    const [comment, ...more] = this.written(thread);
    if (comment === undefined || more.length > 0)
      throw new Error(`There is not one comment of the action, but ${this.written(thread).length}`);
    return comment;
  }

  event(comment: Comment, action: 'created' | 'edited' = 'created'): WebhookEvent {
    return this.simulator.github.issueCommentEvent(comment, action);
  }

  async #watch(run: () => Promise<RunResult>): Promise<ThreadRun> {
    const { simulator } = this;
    const before = simulator.requests.length;
    const result = await run();
    await post(result);
    const sent = simulator.requests.slice(before);
    expect(simulator.violations).toEqual([]);
    this.#expectNoSecret(result);
    return {
      ...result,
      github: sent.filter(({ to }) => to === 'github'),
      service: sent.filter(({ to }) => to === 'service'),
    };
  }

  /** The key and the token show nowhere but in the lines that ask the runner to mask them. */
  #expectNoSecret({ stdout, stderr, outputs, state, summary, options }: RunResult): void {
    const said = stdout.replaceAll(/^::add-mask::.*$/gm, '');
    const comments = this.simulator.github.comments.flatMap(({ history }) => history.map(({ body }) => body));
    const shown = JSON.stringify([said, stderr, outputs, state, summary, comments]);
    for (const secret of [options.inputs['api-key'] ?? '', DEFAULT_TOKEN]) {
      if (secret !== '') expect(shown).not.toContain(secret);
    }
  }
}

type SayOptions = Overrides & { readonly login?: string; readonly thread?: number };

/** A comment as a reader sees it: without the marker in its first line. */
export function textOf({ body }: { readonly body: string }): string {
  return body.replace(/^<!--.*-->\n/, '');
}

/** The first line a reader sees of every state a comment was in. */
export function headlines({ history }: Comment): string[] {
  return history.map((version) => textOf(version).split('\n')[0] ?? '');
}

export function reactions({ reactions }: Comment): string[] {
  return reactions.map(({ content }) => content);
}

export function warnings({ annotations }: RunResult): string[] {
  return annotations.filter(({ level }) => level === 'warning').map(({ message }) => message);
}
