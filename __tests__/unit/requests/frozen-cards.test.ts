import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import type { ThreadComment } from '../../../src/github/changes.ts';
import { createSigner, type SignerScope } from '../../../src/requests/sign.ts';
import { cardsIn, commentOf } from '../../../src/requests/store.ts';
import { playPost } from '../../support/in-process/play.ts';
import { headlineOf } from '../../support/oracle/agent.ts';
import { serviceInputs } from '../../support/usual.ts';

/* Cards that released versions wrote (scripts/freeze-cards.ts), and that a thread may still contain. */

interface Frozen {
  readonly scope: SignerScope['service'] & Pick<SignerScope, 'repositoryId'>;
  readonly comments: readonly (ThreadComment & { readonly name: string })[];
  readonly states: readonly { readonly name: string; readonly state: string }[];
}

/** The first lines that are worded differently today, on purpose: the frozen line, and today's. */
const reworded: Readonly<Record<string, string>> = {};

const folder = new URL('../../fixtures/cards/', import.meta.url);

describe.each(readdirSync(folder))('%s', (file) => {
  const { scope, comments, states }: Frozen = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

  test.each(comments)('in a comment: $name', (comment) => {
    const { repositoryId, ...service } = scope;
    const signer = createSigner({ service, repositoryId, thread: comment.thread, scrub: (text) => text });
    const shown = cardsIn([comment], signer).map(({ card }) => headlineOf({ body: commentOf(card, signer) }));
    const before = headlineOf(comment);
    expect(shown).toEqual([reworded[before] ?? before]);
  });

  test.each(states)('saved for post: $name', async ({ state }) => {
    const core = createInMemorySimulator();
    const { thread, ...card } = JSON.parse(state);
    core.github.addThread({ number: thread });
    const run = { event: core.github.scheduleEvent(), inputs: serviceInputs(core), runId: 1 };
    const { outputs } = await playPost(core, run, { state: { run: state } });
    const { mode, job } = JSON.parse(outputs.result ?? '');
    expect([mode, job?.id]).toEqual(['agent', card.state.job?.id]);
  });
});
