import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { formOfToday, frozenCards, frozenFolder } from '../__tests__/support/card-form.ts';
import { routes } from '../__tests__/support/routes.ts';
import {
  openAgentsPullRequest,
  pushToAgentsPullRequest,
} from '../simulator/play/agents-pull-request.ts';
import { ACTION_DIR as root } from '../simulator/runner/action.ts';
import { rerun } from '../simulator/runner/runner.ts';
import { type JobScript, USUAL_JOB } from '../simulator/service/job.ts';
import { version } from '../src/core/version.ts';
import { startRecording } from './recording.ts';

/*
 * Usage: `node scripts/freeze-cards.ts`. Plays the bundle in dist/ until it has written a card in every state, and freezes the cards
 * in a new file in __tests__/fixtures/cards/. All later versions must be able to read them. Until 1.0.0 is released, there is only
 * the first form: delete form-1.json to write it anew.
 */

const { cards, finish, run, simulator } = await startRecording(join(root, 'dist'));
const { clock, faults, github, service } = simulator;
let thread = 0;

/** Starts a thread, whose jobs follow the script. Returns the number of the pull request to which their links lead. */
function begin(script: Partial<JobScript> = {}): number {
  thread += 1;
  github.addThread({ number: thread });
  const prLink = `https://github.com/octo-org/docs/pull/${100 + thread}`;
  service.script({ ...USUAL_JOB, activeMs: 12_000, prLink, ...script });
  return 100 + thread;
}
const command = (text: string, login = 'maintainer') =>
  github.issueCommentEvent(github.comment(login, thread, `/docs ${text}`));
const say = (text: string, inputs = {}, options = {}) => run(command(text), inputs, options);
function collect(afterDays: number, inputs = {}) {
  clock.advance(afterDays * 86_400_000);
  return run(github.scheduleEvent(), { mode: 'collect', ...inputs });
}

// A pull request that doesn't build, is updated, reviewed, reminded of, closed, merged, and published, and needs no docs itself.
let number = openAgentsPullRequest(github, begin());
const check = (sha: string, conclusion: string) => github.checks.add(sha, { conclusion });
check(github.pullRequests.of(number).head.sha, 'failure');
await say('add a quick\u200bstart', { 'request-review': 'requester' });
simulator.once({ at: routes.sendMessage, phase: 'handled' }, () =>
  pushToAgentsPullRequest(github, number),
);
await say('shorter');
await run(github.reviewEvent(github.reviews.submit('maintainer', number, '/docs in Python')));
const remark = { path: 'docs.json', hunk: '@@ -1 +1 @@\n+Line 1.', line: 1, body: '/docs how?' };
await run(github.reviewCommentEvent(github.reviews.comment('maintainer', number, remark)));
await collect(4, { 'remind-after': '3 days' });
github.pullRequests.setState(number, 'closed');
await collect(1);
const merged = github.pullRequests.merge(number);
for (const conclusion of ['failure', 'success']) {
  check(merged.sha, conclusion);
  await collect(0);
}
await run(github.pushEvent(), { prompt: 'Update the docs.', context: 'changes' });
// A draft.
github.pullRequests.of(openAgentsPullRequest(github, begin())).isDraft = true;
await say('add a quickstart');
// Follow-ups that the job picks up late or not at all.
for (const script of [{}, { prLink: null }, { end: 'failed', prLink: null }]) {
  number = openAgentsPullRequest(github, begin({ staleMs: Number.POSITIVE_INFINITY, ...script }));
  for (const text of ['add a quickstart', 'shorter']) await say(text);
  pushToAgentsPullRequest(github, number);
}
// Other ends of a job, each with a re-run.
for (const script of [{ prLink: 'http://x.test/1' }, { end: 'failed' }, { end: 'archived' }]) {
  begin(script);
  await finish(rerun(await say('add a quickstart')));
}
// Prompts without a command: to a job that no run watches, to the workflow's job, and without a thread.
begin();
const { 'job-id': id = '' } = (await say('--no-wait this', { 'request-review': 'requester' }))
  .outputs;
const series = { prompt: 'Update the docs.', continue: 'repository' };
for (const given of [{ 'job-id': id }, { 'job-id': id, prompt: 'Shorter.' }, series, series]) {
  begin();
  await run(github.issuesEvent(thread), given);
}
await run(github.workflowDispatchEvent(), { prompt: 'Add a quickstart.' });
// Jobs that no run watches: gone, checked in turn, and given up.
begin({ end: 'never' });
for (const _ of [1, 2, 3]) await say('--no-wait --new this');
service.forget(service.jobs.at(-1)?.id ?? '');
await collect(1, { 'max-requests': '3' });
await collect(20, { 'collect-since': '15 days' });
// Runs that stop early: at the deadline, canceled, rejected, and killed; then with another key.
await say('--new this', { 'timeout-minutes': '1' });
for (const at of [routes.writeComment, routes.getJob]) {
  const cancel = new AbortController();
  simulator.once({ at, phase: 'handled' }, () => cancel.abort());
  await say('--new this', {}, { signal: cancel.signal });
}
for (const status of [403, 429, 502]) {
  faults.refuse(routes.createJob, status, { retryAfter: 3_600 });
  await say('--new this');
}
await say('this', { 'prompt-file': 'docs/prompt.md' });
const killed = await say('--new this', {}, { killAt: { at: routes.createJob, phase: 'arrived' } });
service.addKey('mint_fake_rotated');
await finish(
  rerun(killed, { inputs: { ...killed.options.inputs, 'api-key': 'mint_fake_rotated' } }),
);
// Answers, someone without permission, and a run that leaves the request to another one.
begin();
for (const text of ['status', 'this', 'status', 'help']) await say(text);
await run(command('this', 'stranger'));
const twice = command('--new this');
await Promise.all([run(twice), run(twice)]);
await simulator.close();

const newest = frozenCards.at(-1);
if (isDeepStrictEqual(newest?.frozen.form, formOfToday()))
  throw new Error(`${newest?.file} already has today’s form.`);
const file = fileURLToPath(new URL(`form-${frozenCards.length + 1}.json`, frozenFolder));
const frozen = { writer: { version }, form: formOfToday(), ...cards() };
writeFileSync(file, `${JSON.stringify(frozen, null, 2)}\n`, { flag: 'wx' });
console.log(`Wrote ${file}.`);
