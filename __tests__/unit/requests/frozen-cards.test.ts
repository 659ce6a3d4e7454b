import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { createSigner } from '../../../src/core/sign.ts';
import { version } from '../../../src/core/version.ts';
import { cardsIn } from '../../../src/requests/thread/find.ts';
import { commentOf } from '../../../src/requests/thread/store.ts';
import { formOfToday, frozenCards, withoutNewFields } from '../../support/card-form.ts';
import { playPost } from '../../support/in-process/play.ts';
import { headlineOf } from '../../support/oracle/agent.ts';
import { serviceInputs } from '../../support/usual.ts';

/* Cards that earlier versions wrote, and that a thread may still contain. */

const dashboard = 'https://dashboard.example/deployments/';
/** What is worded differently today in first lines, on purpose. */
const reworded: readonly (readonly [before: RegExp, today: string])[] = [
  [/ …\*\*$/, '…**'],
  [/ \((?:\d+ (?:s|min|h) ?)+\)/, ''],
  [/\*\* Nothing was (?:created|sent to the agent)\.$/, '** Nothing was sent.'],
  [/before anything was sent to the agent/, 'before anything was sent'],
  [/(pull request:\*\*) .*/, '$1 nothing had to change, or your project commits directly.'],
  [/couldn’t be sent to the agent\./, 'failed; the run’s log says why.'],
  [
    /The service didn’t give a reason; its dashboard might\./,
    'The service gives no reason; its dashboard may.',
  ],
  [/its dashboard may\./, 'its [dashboard](<https://dashboard.mintlify.com>) may.'],
  [/hourly limit is used up/, 'hourly limit has been reached'],
  [/The job can no longer be followed\./, 'The service no longer has this job.'],
  [/The job shows (\[.*\)), which may be from before the follow-up\./, 'It may be missing from $1.'],
  [/The job shows no.*/, 'The job finished without a pull request, possibly before the follow-up arrived.'],
  [/but `Mintlify Deployment` failed/, `but [\`Mintlify Deployment\`](<${dashboard}0>) failed`],
];
const todays = (line: string) =>
  reworded
    .reduce((text, [before, today]) => text.replace(before, today), line)
    .replace(/deployments\/\d+/, 'deployments/0');

const recipe = 'See CONTRIBUTING, “Cards outlive versions”';

test('the newest frozen cards have the form in which cards are stored today', () => {
  const { file, frozen } = frozenCards.at(-1) ?? {};
  if (isDeepStrictEqual(frozen?.form, formOfToday())) return;
  throw new Error(
    `The form of a stored card (stored.ts) isn’t the one in ${file}. If you added an optional field, run \`npm run build\` and \`node scripts/freeze-cards.ts\`, and commit the new file. ${recipe}.`,
  );
});

test('cards are written with the version in package.json', () => {
  const path = new URL('../../../package.json', import.meta.url);
  const { version: released } = JSON.parse(readFileSync(path, 'utf8'));
  expect({ 'src/core/version.ts': version }).toEqual({ 'src/core/version.ts': released });
});

describe.each(frozenCards)('$file', ({ frozen: { form, scope, comments, states } }) => {
  test('all its fields are still there, and versions that know no others can read today’s cards', () => {
    const today = withoutNewFields(formOfToday(), form);
    if (isDeepStrictEqual(today, form)) return;
    const broken = `A field of a stored card (stored.ts) was removed, became required or optional, or takes other values, so that an older version can’t read the card and asks the agent again. Add a new optional field instead. ${recipe}.`;
    expect({ broken, form: today }).toEqual({ broken: '', form });
  });

  test.each(comments)('in a comment: $name', (comment) => {
    const { repositoryId, ...service } = scope;
    const signer = createSigner({ service, repositoryId, thread: comment.thread, scrub: (text) => text });
    const owner = { project: { id: '', name: '' }, signerOf: () => signer };
    const shown = cardsIn([comment], [owner]).ours.map(({ card }) =>
      headlineOf({ body: commentOf(card, signer) }),
    );
    const before = todays(headlineOf(comment));
    // A failed check was below the first line.
    const isUnbuilt = /^❌/m.test(comment.body.split('<details>')[0]?.split('\n').slice(2).join('\n') ?? '');
    const unbuilt = before.replace(
      /\*\*(\[.*\))\*\*.*/,
      `**$1 doesn’t build yet:** [\`Mintlify Deployment\`](<${dashboard}0>) failed.`,
    );
    const sign = (line: string) => line.replace(/^\S+/, '⚠️');
    // A stored cause keeps its words.
    const plain = shown.map(todays);
    expect(plain).toEqual([isUnbuilt ? sign(unbuilt) : before]);
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
