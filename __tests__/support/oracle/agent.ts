import type { SimulatorCore } from '../../../simulator/core.ts';
import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment } from '../../../simulator/github/types.ts';
import type { Job } from '../../../simulator/service/job.ts';
import { leaks, type Played } from '../played.ts';
import { askedSince, type Staged } from '../scenarios/agent.ts';

/** What really happened to a request, according to the service. */
export interface Reality {
  /** Whether the service received the request, as a new job or as a message. */
  readonly asked: boolean;
  readonly job: Job | undefined;
  /** Whether this run sent nothing, and no earlier job can still be used. */
  readonly isAnew?: boolean;
  /** Whether the job later received a message for another request, so its state says nothing about this one. */
  readonly isShared?: boolean;
  /** Whether the job still shows its result from before the last message. */
  readonly isStale?: boolean;
}

interface Statement {
  readonly says: RegExp;
  isTrue(reality: Reality, text: string): boolean;
}

const hasJob = ({ asked, job }: Reality): boolean => asked && job !== undefined;
const jobIs = (status: string) => (reality: Reality) =>
  hasJob(reality) &&
  (reality.isShared === true || (reality.isStale !== true && reality.job?.status === status));

/** What a finished status comment or summary can say, and when that is true. */
const statements: readonly Statement[] = [
  {
    says: /is ready|The follow-up is done|was updated|Added to|was merged|was closed|doesn’t build yet/,
    isTrue: (reality, text) =>
      jobIs('completed')(reality) &&
      (reality.isShared === true || text.includes(reality.job?.prLink ?? '\0')),
  },
  {
    says: /finished without a pull request/,
    isTrue: (reality) =>
      jobIs('completed')(reality) && (reality.isShared === true || reality.job?.prLink === null),
  },
  { says: /The job failed/, isTrue: jobIs('failed') },
  { says: /The job was archived/, isTrue: jobIs('archived') },
  { says: /picked up the follow-up/, isTrue: hasJob },
  { says: /this run was stopped|this run stopped waiting|isn’t waiting/i, isTrue: hasJob },
  {
    says: /stopped watching the job|no longer has this job|never saw the job’s status/,
    isTrue: hasJob,
  },
  { says: /can.t tell whether|an earlier one may have sent the request/, isTrue: () => true },
  { says: /can.t use `\/docs` here/, isTrue: ({ asked }) => !asked },
  {
    says: /before anything was sent|[Nn]othing was (asked|sent)/,
    isTrue: ({ asked, isAnew }) => !asked || isAnew === true,
  },
];

/** Whether a finished job that got a message still shows its earlier result. An unfinished job is never stale. */
export function isStale({ clock }: SimulatorCore, job: Job | undefined): boolean {
  const before = job?.rounds.at(-2);
  if (job === undefined || before === undefined) return false;
  const { at, script } = job.current;
  const hadEnded = job.statusAt(at) !== script.activeStatus && before.script.prLinkDelayMs === 0;
  return hadEnded && clock.now() < at + script.staleMs;
}

/** The action's comments in a thread, excluding deleted ones. */
export function writtenIn({ github }: Pick<SimulatorCore, 'github'>, thread: number): Comment[] {
  return github.commentsOf(thread).filter(({ login }) => login === BOT_LOGIN);
}

/** The status comments that quote the prompt. */
export function statusComments(
  core: SimulatorCore,
  { thread, prompt }: Pick<Staged, 'thread' | 'prompt'>,
): Comment[] {
  return writtenIn(core, thread).filter(({ body }) =>
    body.includes(`\`\`\`text\n${prompt}\n\`\`\``),
  );
}

/** The only status comment that quotes the prompt. @throws if there is not exactly one. */
export function onlyStatusComment(
  core: SimulatorCore,
  staged: Pick<Staged, 'thread' | 'prompt'>,
): Comment {
  const [own, ...more] = statusComments(core, staged);
  if (own === undefined || more.length > 0) throw new Error('There is not one status comment');
  return own;
}

/** The ID of the job in a status comment. */
export function jobNamed({ body }: Comment): string | undefined {
  return body.match(/(?:· |^)job:? `(job_\d+)`/im)?.[1];
}

export interface Expected {
  readonly comments: 'one' | 'at most one';
  /** Whether the run must leave a reaction that matches its outcome. */
  readonly reaction: boolean;
  /** Whether an earlier attempt sent a request. */
  readonly askedBefore?: boolean;
}

/** The reaction that each outcome leaves on the comment with the command. */
const verdicts: Readonly<Record<string, string>> = {
  'pr-created': 'rocket',
  'no-changes': '+1',
  failed: 'confused',
  archived: 'confused',
  'timed-out': 'confused',
};

/** Lists what is untrue in the thread, outputs, summary, and reactions after a run. */
export function untruths(
  core: SimulatorCore,
  staged: Staged,
  played: Played,
  { comments, reaction, askedBefore = false }: Expected,
): string[] {
  const problems: string[] = [];
  const asked = askedSince(core, staged);
  if (asked.jobs > (staged.isForOldJob ? 0 : 1) || asked.prompts > 1)
    problems.push(`asked ${asked.prompts} times, ${asked.jobs} jobs`);
  const job = asked.jobs > 0 ? core.service.jobs.at(-1) : core.service.jobs[staged.before.jobs - 1];
  const reality: Reality = { asked: asked.prompts > 0, job, isStale: isStale(core, job) };
  const own = statusComments(core, staged);
  if (own.length > 1) problems.push(`${own.length} status comments`);
  if (own.length === 0 && comments === 'one') problems.push('no status comment');
  for (const comment of own) {
    const named = jobNamed(comment);
    problems.push(...falseStatements('comment', comment.body, reality));
    if (named !== undefined && named !== job?.id) problems.push(`the comment names ${named}`);
  }
  // The summary is about this attempt only.
  if (played.summary !== '')
    problems.push(
      ...falseStatements('summary', played.summary, { ...reality, isAnew: askedBefore }),
    );
  problems.push(...falseOutputs(played, reality, askedBefore));
  if (reaction && staged.sourceCommentId !== undefined) {
    const { comments, reviews } = core.github;
    const asking = [...comments, ...reviews.comments].find(
      ({ id }) => id === staged.sourceCommentId,
    );
    const seen = asking?.reactions.map(({ content }) => content) ?? [];
    const verdict = verdicts[played.outputs.outcome ?? ''];
    if (verdict !== undefined && !seen.some((content) => content === verdict))
      problems.push(`no ${verdict}, only ${seen}`);
  }
  return [...problems, ...leaks(core, played)];
}

/** Lists what is untrue in the outputs. A run that was killed early has none. */
export function falseOutputs(
  { outputs }: Played,
  { asked, job, isShared = false, isStale = false }: Reality,
  askedBefore: boolean,
): string[] {
  const { outcome, reason, 'job-id': jobId = '', 'pr-link': link = '', result } = outputs;
  const wrong = (what: string): string[] => [`outputs say ${outcome} (${reason}), ${what}`];
  if (result !== undefined) {
    const parsed = JSON.parse(result) as Record<string, unknown>;
    if (parsed.outcome !== outcome || parsed.reason !== reason)
      return wrong(`result says ${result}`);
  }
  if (jobId !== '' && (!asked || jobId !== job?.id)) return wrong(`of job ${jobId}`);
  switch (outcome) {
    case undefined:
      return jobId === '' ? [] : wrong('but there is a job');
    case 'pr-created':
      return isShared || (!isStale && job?.status === 'completed' && link === job.prLink)
        ? []
        : wrong(`with ${link}`);
    case 'detached':
    case 'timed-out':
      return jobId === '' ? wrong('without a job') : [];
    case 'failed':
      return asked && !askedBefore && jobId === '' && reason !== 'unconfirmed'
        ? wrong('but the service was asked')
        : [];
    default:
      return [];
  }
}

/** A comment's text without its hidden first line. */
export function textOf({ body }: { readonly body: string }): string {
  return body.replace(/^<!--.*-->\n/, '');
}

/** The first visible line of a comment. */
export function headlineOf(comment: { readonly body: string } | undefined): string {
  return textOf(comment ?? { body: '' }).split('\n')[0] ?? '';
}

/** Lists the false statements in a comment or summary. A text without any statement is a problem, too. */
export function falseStatements(place: string, text: string, reality: Reality): string[] {
  const made = statements.filter(({ says }) => says.test(text));
  const headline =
    text.split('\n').find((line) => /^(\S+ \*\*|###)/.test(line)) ?? text.slice(0, 80);
  if (made.length === 0) return [`the ${place} stays at ${headline}`];
  return made
    .filter((statement) => !statement.isTrue(reality, text))
    .map(() => `the ${place} says ${headline}`);
}
