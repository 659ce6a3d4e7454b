import { randomBytes } from 'node:crypto';
import { badInput } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, ignoreGitHubError } from '../../github/errors.ts';
import type { PushEvent } from '../../github/event.ts';
import { isSameUrl, pullUrlOf } from '../../requests/card/card.ts';
import type { ContextReader, PromptContext } from '../../requests/run/plan.ts';
import { joined, shortCode } from '../../text/markdown.ts';
import type { About } from '../about.ts';
import type { AgentConfig } from '../inputs.ts';
import { promptWithData } from './block.ts';
import { type Change, whyIrrelevant } from './change.ts';
import { createClean } from './clean.ts';
import { fileFilter } from './files.ts';
import { type Gathering, gather, gatherFromEvent } from './gather.ts';
import { type Pushed, readPush } from './push.ts';
import { readRejected } from './rejected.ts';

/** Creates the object that reads what is sent with a prompt. */
export function contextReader(
  prompt: string,
  about: About | undefined,
  config: AgentConfig,
  deps: Deps,
): ContextReader {
  const { allowUsers, contextLimit: limitBytes, paths, thread } = config;
  const { clock, context } = deps;
  const isChosen = fileFilter(paths);
  const clean = createClean(deps.scrub);
  // The token is new in every run, so that the authors of the data can't know it.
  const token = randomBytes(12).toString('hex');
  const repository = { name: context.repository, url: context.repositoryUrl };
  const push = about?.change?.kind === 'push' ? about.change.push : undefined;
  let pushed: Pushed | undefined;

  const contextOf = (whole: Change): PromptContext => ({
    head: whole.head,
    pullState: whole.pullState,
    hasNews: whole.review !== undefined || Boolean(whole.failedChecks),
    compose(isKnown) {
      const { topic, review, failedChecks } = whole;
      const change = isKnown ? { topic, review, failedChecks } : whole;
      const promptOf = (withPatches: boolean) =>
        promptWithData(prompt, change, {
          repository,
          limitBytes,
          isChosen,
          clean,
          token,
          withPatches,
        });
      const smaller = change.files === undefined ? undefined : promptOf(false).prompt;
      return { ...promptOf(true), smaller };
    },
  });

  const findThread = async (event: PushEvent) => {
    pushed = await readPush(event, { github: githubOf(deps), clock });
    return thread === 'auto' ? pushed.pullRequest?.number : undefined;
  };

  return {
    findThread: push && (() => findThread(push)),
    async read(readCards) {
      const isOwn = async (url: string) =>
        (await readCards()).some(({ card }) => isSameUrl(pullUrlOf(card, context), url));
      const gathering = about && { about, github: githubOf(deps), clock, pushed, isOwn };
      const { change: found, note } = gathering
        ? await asFarAsReadable(gathering, config, deps)
        : {};
      const skip =
        about?.maySkip && found ? whyIrrelevant(found, { allowUsers, isChosen }) : undefined;
      if (skip !== undefined) return { skip };
      const isSeries = config.continue === 'repository';
      const rejected = isSeries
        ? await readRejected(readCards, deps).catch(ignoreGitHubError)
        : undefined;
      const topic = 'the last pull request of this workflow';
      const change = rejected ? { topic, ...found, rejected } : found;
      // The person who merged the change may not be its author, and the author should review the docs.
      const author = config.requestReview === 'requester' ? pushed?.pullRequest?.author : undefined;
      return { context: change && contextOf(change), note, author };
    },
  };
}

function githubOf({ github }: Deps): GitHub {
  if (github !== undefined) return github;
  throw badInput(
    'github-token',
    'is missing',
    'The action needs it to read the `context` for the agent.',
  );
}

/** Reads the change. If that fails and `context` doesn't name it, only the title from the event is sent, with a note. */
async function asFarAsReadable(gathering: Gathering, config: AgentConfig, { context }: Deps) {
  const { about } = gathering;
  try {
    const change = await gather(gathering);
    const newer = 'Commits were pushed after the review. The agent was sent the newer version.';
    return { change, note: joined([change.hasNewCommits && newer, change.unread]) || undefined };
  } catch (error) {
    // A review can't be sent without its comments, because they are part of the request.
    const isReview = about.review !== undefined && about.review.place === undefined;
    if (!config.context.includes('auto') || isReview || !(error instanceof GitHubError))
      throw error;
    const change = gatherFromEvent(about, context);
    const got =
      change === undefined ? 'was sent only the command' : 'was sent only the title of this thread';
    const why = `The rest could not be read (${shortCode(error.message)}). ${error.hint ?? ''}`;
    return { change, note: `The agent ${got}. ${why}`.trimEnd() };
  }
}
