import type { ModeResult } from '../core/mode-result.ts';
import type { DepsToRead } from '../deps.ts';
import { type Card, endingOf, howEnded, isTerminal, jobOf } from '../requests/card/card.ts';
import { remarksIn } from '../requests/card/comment.ts';
import { wordsFor } from '../requests/card/situation.ts';
import { claimed, shownPrompt } from '../requests/card/transitions.ts';
import type { Candidate } from '../requests/run/choose.ts';
import { closed } from '../requests/run/close.ts';
import { Run } from '../requests/run/run.ts';
import { work } from '../requests/run/work.ts';
import type { Job } from '../service/schemas.ts';
import { dayMs } from '../text/duration.ts';
import { code, fenced, joined, paragraphs } from '../text/markdown.ts';
import { toMarkdown } from '../text/phrase.ts';
import type { Begun } from './begin.ts';
import { admit } from './gate.ts';
import type { AgentConfig } from './inputs.ts';
import { resultOf } from './summary.ts';
import { whySkipped } from './texts.ts';

const dryRun = { outcome: 'answered', reason: 'dry-run' } as const;

/** A run that writes nothing: claiming happens in memory, and sending ends the run by saying what would be sent. */
class Rehearsal extends Run {
  readonly #config: AgentConfig;
  /** What would be sent, as the end of a sentence, and the prompt as Markdown. */
  would: string | undefined;
  prompt = '';

  constructor({ card, plan }: Begun, config: AgentConfig, deps: DepsToRead) {
    super(card, plan, deps);
    this.#config = config;
  }

  override async claim(): Promise<void> {
    this.become(claimed(this.card, this.deps.clock.now()));
  }

  override async send(choice: Candidate): Promise<void> {
    // The prompt is exactly what the job would get. The log shows it even if the key or the project is wrong.
    const { prompt } = this.promptFor(choice.job);
    this.deps.runner.verbatim('The prompt, as it would be sent', prompt);
    // If a job was read, the key is already known to be valid.
    if (choice.job === undefined) await checkKey(this);
    this.would = wouldSend(choice, this.card, this.#config, this);
    this.prompt = fenced(shownPrompt(prompt));
    this.become({ ...this.card, stop: dryRun });
  }

  override async follow(): Promise<void> {}
}

/** A dry run: works on a request without writing anything, and reports what would have been sent. */
export async function rehearse(
  begun: Begun,
  config: AgentConfig,
  deps: DepsToRead,
): Promise<ModeResult<'agent'>> {
  const run = new Rehearsal(begun, config, deps);
  try {
    await admit(begun.inputError, config, run);
    if (run.card.stop !== undefined) return resultOf(run.card, config, run);
    const isReply = run.card.ask === 'reply';
    if (!isReply) await work(run);
    const { card, prompt } = run;
    const answer = `would answer \`${begun.trigger.kind}\` in the thread.`;
    const would = isReply ? answer : (run.would ?? wouldFollow(card, run));
    const details = isReply ? [] : [...remarksIn(card, 'fold'), prompt];
    const { result, ...more } = resultOf({ ...card, stop: dryRun }, config, run);
    return {
      ...more,
      result: { ...result, dryRun: would },
      summary: `${paragraphs(['### ☑️ Dry run: nothing was sent to the agent', `This run ${would}`, ...details])}\n`,
      message: { level: 'notice', title: 'Docs Agent', text: `Dry run: this run ${would}` },
    };
  } catch (error) {
    return resultOf(closed(run.card, error), config, run);
  }
}

function waiting({ ask, timeoutMs }: Run['plan']): string {
  return ask.wait ? `and follow it for up to ${timeoutMs / 60_000} min.` : 'and not wait for it.';
}

function wouldSend(
  { job }: Candidate,
  card: Card,
  config: AgentConfig,
  { plan, left }: Run,
): string {
  const { cap } = plan;
  const what = job === undefined ? 'create a job in' : `send the prompt to ${named(job)} of`;
  const project = `project ${code(config.projects[0].id)} at ${code(config.baseUrl)}`;
  const note = joined([
    ...remarksIn(card, 'comment'),
    cap &&
      left !== undefined &&
      `\`max-jobs\`: ${left} of ${cap.max} requests per ${cap.per} are left.`,
    'A dry run can’t check whether the key has `write` scope.',
  ]);
  return `would ${what} ${project} ${waiting(plan)} ${note}`;
}

/** What a run would do that sends no prompt. */
function wouldFollow(card: Card, { plan, takenOver }: Run): string {
  const [job, ending] = [jobOf(card), endingOf(card)];
  const attach = job && `follow ${named(job)} ${waiting(plan)}`;
  if (card.ask === 'attach' && takenOver === undefined && attach !== undefined)
    return `would ${attach}`;
  const nothing = (why: string) => `would send nothing to the agent: ${why}`;
  const why = ending?.because ?? whySkipped[ending?.reason ?? ''];
  if (why !== undefined) return nothing(why);
  if (ending?.error !== undefined) return nothing(`${ending.error.title}. ${ending.error.text}`);
  if (job === undefined || howEnded(card) === 'gone')
    return nothing(toMarkdown(wordsFor(card).line, false));
  // A completed job without a link is checked only two more times.
  const isOver = ending !== undefined || (isTerminal(job.status) && !('before' in card.state));
  const what = isOver ? `report ${named(job)} again.` : attach;
  return nothing(`an earlier run has already sent it. This run would ${what}`);
}

function named({ id, status }: Job): string {
  return `job ${code(id)} (${code(status)})`;
}

/** Reads one row of yesterday's visitors. @throws ServiceError if the key or the project is wrong. */
async function checkKey({ deps: { service, clock } }: Run): Promise<void> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [dateFrom, dateTo] = [day(clock.now() - dayMs), day(clock.now())];
  await service.getVisitors({ dateFrom, dateTo, limit: 1, offset: 0 });
}
