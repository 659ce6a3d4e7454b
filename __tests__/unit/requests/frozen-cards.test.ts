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
import { plain } from '../../support/plain.ts';
import { serviceInputs } from '../../support/usual.ts';

/* Cards that earlier versions wrote, and that a thread may still contain. */

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

  test('their comments begin as they did when they were reviewed', () => {
    const { repositoryId, ...service } = scope;
    const headlines = comments.map((comment) => {
      const signer = createSigner({
        service,
        repositoryId,
        thread: comment.thread,
        scrub: plain,
      });
      const owner = { project: { id: '', name: '' }, signerOf: () => signer };
      const [found] = cardsIn([comment], [owner]).ours;
      return `${comment.name}: ${found && headlineOf({ body: commentOf(found.card, signer) })}`;
    });
    expect(headlines).toMatchSnapshot();
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
