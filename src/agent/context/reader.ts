import { randomBytes } from 'node:crypto';
import { badInput } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import { GitHubError, ignoreGitHubError } from '../../github/errors.ts';
import type { CardSearch, ContextReader, PromptContext } from '../../requests/run/plan.ts';
import { joinTexts, shortCode } from '../../text/markdown.ts';
import type { About } from '../about.ts';
import type { AgentConfig } from '../inputs.ts';
import { addData, type BlockOptions } from './block.ts';
import { type Change, whyIrrelevant } from './change.ts';
import { createClean } from './clean.ts';
import { hasComments, newerThan, readDiscussion } from './discussion.ts';
import { createFileFilter } from './files.ts';
import { type Gathering, gather, gatherFromEvent, type PushRead } from './gather.ts';
import { nameParts, sortParts, threadsOf } from './parts.ts';
import { readPush } from './push.ts';
import { readRejected } from './rejected.ts';

/** Creates the object that reads what is sent with a prompt. */
export function createContextReader(
  prompt: string,
  about: About | undefined,
  config: AgentConfig,
  deps: Deps,
): ContextReader {
  const { context, clock, scrub } = deps;
  const isChosen = createFileFilter(config.paths);
  const options = {
    repository: { name: context.repository, url: context.repositoryUrl },
    limitBytes: config.contextLimit,
    isChosen,
    clean: createClean(scrub),
    // The token is new in every run, so that the authors of the data can't know it.
    token: randomBytes(12).toString('hex'),
  };

  async function readPushOf({ findOwn }: CardSearch): Promise<PushRead> {
    if (about?.change?.kind !== 'push') return {};
    const pushed = await readPush(about.change.push, { github: requireGitHub(deps), clock });
    return { pushed, parts: await sortParts(pushed, config, { about, findOwn }) };
  }

  let pushRead: Promise<PushRead> | undefined;
  /** Finding the threads and reading what is sent both need the push. */
  const readPushOnce = (cards: CardSearch) => {
    pushRead ??= readPushOf(cards);
    return pushRead;
  };

  function readAbout(about: About, push: PushRead, { findOwn }: CardSearch) {
    const gathering = { about, github: requireGitHub(deps), clock, scrub, ...push, findOwn };
    return gatherReadable(gathering, config, deps);
  }

  return {
    async findThreads(cards) {
      const { pushed, parts } = await readPushOnce(cards);
      if (config.thread !== 'auto') return [];
      if (pushed?.pullRequest) return [pushed.pullRequest.number];
      return parts ? threadsOf(parts, context.runAttempt) : [];
    },
    async read(cards) {
      const push = await readPushOnce(cards);
      const { pushed, parts } = push;
      const reading = about && (await readAbout(about, push, cards));
      let change = reading?.change;
      if (about?.maySkip && change) {
        const skip = whyIrrelevant(change, { ...config, isChosen });
        if (skip) return { skip };
      }
      if (config.continue === 'repository') {
        const rejected = await readRejected(cards, deps).catch(ignoreGitHubError);
        const topic = 'the last pull request of this workflow';
        if (rejected) change = { topic, ...change, rejected };
      }
      // The person who merged the change may not be its author, and the author should review the
      // docs.
      const main = pushed?.pullRequest ?? parts?.main;
      const author = config.requestReview === 'requester' ? main?.author : undefined;
      const promptContext = change && toPromptContext(change, prompt, options);
      const note = joinTexts([parts && nameParts(parts), reading?.note]) || undefined;
      return { context: promptContext, note, author };
    },
  };
}

function toPromptContext(
  change: Change,
  prompt: string,
  options: Omit<BlockOptions, 'withPatches'>,
): PromptContext {
  const { topic, review, failedChecks, discussion } = change;
  return {
    head: change.head,
    pull: change.pull,
    compose({ isKnown, lastRequestId }) {
      const news = { review, failedChecks, discussion: newerThan(discussion, lastRequestId) };
      const hasNews = review !== undefined || Boolean(failedChecks) || hasComments(news.discussion);
      if (isKnown && !hasNews) return { prompt, smaller: undefined, note: undefined };
      const sent: Change = isKnown ? { topic, ...news } : { ...change, ...news };
      const whole = addData(prompt, sent, { ...options, withPatches: true });
      if (!sent.files) return { ...whole, smaller: undefined };
      const smaller = addData(prompt, sent, { ...options, withPatches: false });
      return { ...whole, smaller: smaller.prompt };
    },
  };
}

function requireGitHub({ github }: Deps) {
  if (github) return github;
  const hint = 'The action needs it to read the `context` for the agent.';
  throw badInput('github-token', 'is missing', hint);
}

/**
 * Reads the change. If that fails and `context` doesn't name it, only the title from the event is
 * sent, with a note.
 */
async function gatherReadable(gathering: Gathering, config: AgentConfig, deps: Deps) {
  const { about } = gathering;
  try {
    const gathered = await gather(gathering);
    const change = await addDiscussion(gathered, gathering, config, deps);
    const notes = [change.unread];
    if (change.hasNewCommits)
      notes.unshift('Commits were pushed after the review. The agent was sent the newer version.');
    return { change, note: joinTexts(notes) || undefined };
  } catch (error) {
    // A review can't be sent without its comments, because they are part of the request.
    const review = about.request?.review;
    const isReview = review && !review.place;
    const canSendLess = config.context.includes('auto') && !isReview;
    if (!canSendLess || !(error instanceof GitHubError)) throw error;
    const change = gatherFromEvent(about, deps.context);
    const sent = change ? 'only the title of this thread' : 'only the command';
    const why = `The rest could not be read (${shortCode(deps.scrub(error.message))}).`;
    return { change, note: joinTexts([`The agent was sent ${sent}.`, why, error.hint]) };
  }
}

/**
 * Adds what people said in the thread, if it is sent. If that fails and `context` doesn't name the
 * thread, only a note is added.
 */
async function addDiscussion(
  change: Change,
  { about, github }: Gathering,
  config: AgentConfig,
  { context }: Deps,
): Promise<Change> {
  if (change.thread === undefined) return change;
  try {
    const reading = { command: config.command, context, github };
    return { ...change, discussion: await readDiscussion(change.thread, about.request, reading) };
  } catch (error) {
    if (!config.context.includes('auto') || !(error instanceof GitHubError)) throw error;
    const unread = 'The thread’s other comments couldn’t be read, so they weren’t sent.';
    return { ...change, unread: joinTexts([change.unread, unread]) };
  }
}
