import { createSigner, type SignerScope } from '../../../src/core/sign.ts';
import type { ThreadComment } from '../../../src/github/changes.ts';
import type { Card } from '../../../src/requests/card/card.ts';
import { newCard, placeInComment } from '../../../src/requests/card/transitions.ts';
import type { PostedCard } from '../../../src/requests/thread/find.ts';
import { commentOf } from '../../../src/requests/thread/store.ts';
import type { RunContext } from '../../../src/runner/context.ts';
import type { Job } from '../../../src/service/schemas.ts';

export const context: RunContext = {
  eventName: 'issue_comment',
  payload: {},
  isPrivate: false,
  repository: 'octo-org/docs',
  repositoryId: '790000001',
  repositoryUrl: 'https://github.com/octo-org/docs',
  sha: 'b'.repeat(40),
  workflow: 'octo-org/docs/.github/workflows/docs.yml',
  runId: '7000000001',
  runAttempt: 1,
  stepId: 'docs.__action',
  apiUrl: 'https://api.github.com',
  runUrl: 'https://github.com/octo-org/docs/actions/runs/7000000001',
};

export const scope: SignerScope = {
  service: { apiKey: 'mint_fake_key', baseUrl: 'https://api.example.com', projectId: 'prj_1' },
  repositoryId: context.repositoryId,
  thread: 7,
  scrub: (text) => text,
};
export const signer = createSigner(scope);
export const owner = { project: { id: 'prj_1', name: 'prj_1' }, signerOf: () => signer };

export const completed: Job = {
  id: 'job_0001',
  status: 'completed',
  prLink: 'https://github.com/octo-org/docs/pull/101',
  source: { repository: 'octo-org/docs', ref: 'main' },
  model: 'sim-writer-1',
};
/** The same job with a different status and no pull request. */
export const jobIn = (status: string): Job => ({ ...completed, status, prLink: null });
export const active = jobIn('active');

/** Creates card states. */
export const is = {
  freed: { is: 'freed' } as Card['state'],
  claimed: { is: 'claimed' } as Card['state'],
  sending: { is: 'sending' } as Card['state'],
  working: (job = active, more: { before?: Job; until?: number } = {}): Card['state'] => {
    return { is: 'working', job, ...more };
  },
  ended: (how: Extract<Card['state'], { is: 'ended' }>['how'], job?: Job): Card['state'] => {
    return { is: 'ended', how, ...(job === undefined ? {} : { job }) };
  },
};

/** The pull request of the completed job. */
export const pullIn = (
  state: NonNullable<Card['pull']>['state'],
  more: Partial<Card['pull']> = {},
) => ({
  url: `${completed.prLink}`,
  state,
  ...more,
});
/** The details of the pull request that a comment shows. */
export const shown = {
  title: 'Add a [quickstart](x) for *all*',
  additions: 1_240,
  deletions: 6,
  changedFiles: 3,
};

/** The card of a command that hasn't been sent to the service yet. */
export function card(patch: Partial<Card> = {}): Card {
  const { runId: run, runUrl, runAttempt: attempt } = context;
  const begun = newCard({
    ...{ key: 'comment:40', nonce: 'me', run, runUrl, attempt, thread: 7 },
    ...{
      isCommand: true,
      command: '/docs',
      requester: 'maintainer',
      prompt: 'Add a quickstart.',
      removed: 0,
    },
    ask: 'create',
  });
  return { ...begun, generation: 1, ...patch };
}

/** A card in one of our comments, written `id` seconds after the epoch. Unless `unbound`, it contains the comment's ID. */
export function found(
  id: number,
  patch: Partial<Card> = {},
  { unbound = false, ...about }: Partial<ThreadComment> & { readonly unbound?: boolean } = {},
): PostedCard {
  const login = 'github-actions[bot]';
  const url = `https://github.com/octo-org/docs/issues/7#issuecomment-${id}`;
  const inComment = unbound ? card(patch) : placeInComment(card(patch), { id, url, login });
  const times = {
    createdAtMs: id * 1000,
    updatedAtMs: id * 1000,
    unedited: unbound,
    isByInsider: true,
  };
  const body = commentOf(inComment, signer);
  return {
    card: inComment,
    comment: { id, thread: 7, url, login, body, ...times, ...about },
    owner,
  };
}
