import { dateIn } from '../core/days.ts';
import type { ModeResult } from '../core/mode-result.ts';
import type { DepsToRead } from '../deps.ts';
import { endingOf, howEnded, isTerminal, jobOf } from '../requests/card/card.ts';
import { remarksIn } from '../requests/card/comment.ts';
import { wordsFor } from '../requests/card/situation.ts';
import { markClaimed, shortenPrompt } from '../requests/card/transitions.ts';
import type { Candidate } from '../requests/run/choose.ts';
import { withError } from '../requests/run/close.ts';
import { Run } from '../requests/run/run.ts';
import { work } from '../requests/run/work.ts';
import type { Job } from '../service/schemas.ts';
import { dayMs } from '../text/duration.ts';
import { code, codeBlock, joinTexts, paragraphs } from '../text/markdown.ts';
import { toMarkdown } from '../text/phrase.ts';
import { letIn } from './gate.ts';
import type { AgentConfig } from './inputs.ts';
import type { PreparedRequest } from './prepare.ts';
import { resultOf } from './summary.ts';
import { whySkipped } from './texts.ts';

const dryRun = { outcome: 'answered', reason: 'dry-run' } as const;

/**
 * A run that writes nothing: claiming happens in memory, and sending ends the run by saying what
 * would be sent.
 */
class Rehearsal extends Run {
  /** Where the prompt would be sent; `undefined` if nothing would be. */
  choice: Candidate | undefined;
  /** The prompt as Markdown. */
  prompt = '';

  override async claim(): Promise<boolean> {
    this.become(markClaimed(this.card));
    return true;
  }

  override async send(choice: Candidate): Promise<void> {
    // The prompt is exactly what the job would get. The log shows it even if the key or the project
    // is wrong.
    const { prompt } = this.composePrompt(choice.job);
    this.deps.runner.verbatim('The prompt, as it would be sent', prompt);
    // If a job was read, the key is already known to be valid.
    if (choice.job === undefined) await checkKey(this.deps);
    this.choice = choice;
    this.prompt = codeBlock(shortenPrompt(this.deps.scrub(prompt)));
    this.become({ ...this.card, stop: dryRun });
  }

  override async follow(): Promise<void> {}
}

/**
 * A dry run: works on a request without writing anything, and reports what would have been sent.
 */
export async function rehearse(
  request: PreparedRequest,
  config: AgentConfig,
  deps: DepsToRead,
): Promise<ModeResult<'agent'>> {
  const run = new Rehearsal(request.card, request.plan, deps);
  try {
    await letIn(request.inputError, config, run);
    if (run.card.stop !== undefined) return resultOf(config, run);
    if (run.card.ask === 'reply') {
      const would = `would answer \`${request.trigger.kind}\` in the thread.`;
      return reportRehearsal(would, [], config, run);
    }
    await work(run);
    const would = run.choice ? wouldSend(run.choice, config, run) : wouldFollow(run);
    return reportRehearsal(would, [...remarksIn(run.card, 'fold'), run.prompt], config, run);
  } catch (error) {
    run.become(withError(run.card, error));
    return resultOf(config, run);
  }
}

function reportRehearsal(
  would: string,
  details: readonly string[],
  config: AgentConfig,
  run: Rehearsal,
): ModeResult<'agent'> {
  run.become({ ...run.card, stop: dryRun });
  const { result, ...more } = resultOf(config, run);
  const heading = '### ☑️ Dry run: nothing was sent to the agent';
  return {
    ...more,
    result: { ...result, dryRun: would },
    summary: `${paragraphs([heading, `This run ${would}`, ...details])}\n`,
    message: { level: 'notice', title: 'Docs Agent', text: `Dry run: this run ${would}` },
  };
}

function waitText({ ask, timeoutMs }: Run['plan']) {
  if (!ask.wait) return 'and not wait for it.';
  return `and follow it for up to ${timeoutMs / 60_000} min.`;
}

function wouldSend({ job }: Candidate, config: AgentConfig, run: Run) {
  const act = job === undefined ? 'create a job in' : `send the prompt to ${nameOf(job)} of`;
  const project = `project ${code(config.projects[0].id)} at ${code(config.baseUrl)}`;
  const { requestsLeft, plan } = run;
  const { cap } = plan;
  const notes = [...remarksIn(run.card, 'comment')];
  if (cap !== undefined && requestsLeft !== undefined)
    notes.push(`\`max-jobs\`: ${requestsLeft} of ${cap.max} requests per ${cap.per} are left.`);
  notes.push('A dry run can’t check whether the key has `write` scope.');
  return `would ${act} ${project} ${waitText(plan)} ${joinTexts(notes)}`;
}

/** What a run would do that sends no prompt. */
function wouldFollow(run: Run) {
  const job = jobOf(run.card);
  const isAttached = run.card.ask === 'attach' && run.takenOver === undefined;
  if (isAttached && job !== undefined) return `would ${followText(job, run)}`;
  return `would send nothing to the agent: ${whyNothing(run)}`;
}

/** Why a run would send nothing, as sentences. */
function whyNothing(run: Run) {
  const { card } = run;
  const ending = endingOf(card);
  if (ending !== undefined) {
    const why = whySkipped(ending);
    if (why !== undefined) return why;
    if (ending.error !== undefined) return `${ending.error.title}. ${ending.error.text}`;
  }
  const job = jobOf(card);
  if (job === undefined || howEnded(card) === 'gone') return toMarkdown(wordsFor(card).line, false);
  // A completed job without a link is checked only two more times.
  const isWaiting = card.state.is === 'working' && card.state.before !== undefined;
  const isOver = ending !== undefined || (isTerminal(job.status) && !isWaiting);
  const act = isOver ? `report ${nameOf(job)} again.` : followText(job, run);
  return `an earlier run has already sent it. This run would ${act}`;
}

function followText(job: Job, run: Run) {
  return `follow ${nameOf(job)} ${waitText(run.plan)}`;
}

function nameOf({ id, status }: Job) {
  return `job ${code(id)} (${code(status)})`;
}

/**
 * Reads one row of yesterday's visitors.
 * @throws ServiceError if the key or the project is wrong.
 */
async function checkKey({ service, clock }: DepsToRead) {
  const nowMs = clock.now();
  const range = { dateFrom: dateIn(nowMs - dayMs, 'UTC'), dateTo: dateIn(nowMs, 'UTC') };
  await service.getVisitors({ ...range, limit: 1, offset: 0 });
}
