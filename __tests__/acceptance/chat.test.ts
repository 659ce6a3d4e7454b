import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { folderPerTest } from '../support/folder.ts';
import { evaluate, holds } from '../support/workflows/expression.ts';
import { folders, type Job, readWorkflow, type Step } from '../support/workflows/workflow.ts';

/* The recipes of docs/chat.md, as people paste them. */

const webhook = 'https://chat.example.com/hook?id=1&sig=fake';
const report = 'https://github.com/acme/widgets/actions/runs/7000000200';
const verdict = '🟠 Docs: 3,337 people, more than usual (2,364–2,788)';
const lines = ['Nov 9–15 · 36% AI', `"it's" $HOME \`id\` \\n $& '; exit 1; '`, report];
const digest = `${verdict}\n${lines.join('\n\n')}`;

const page = readFileSync(join(folders.examples, '../docs/chat.md'), 'utf8');
const [jobs, steps, discord, teams] = Array.from(
  page.matchAll(/```yaml\n(.*?)```/gs),
  ([, text = '']) => parse(text),
);
const chat: Job = jobs.chat;
const step: Step = steps[0];
const folder = folderPerTest();

/** Runs a script with a `curl` that keeps what it gets. Returns the message, and the arguments. */
function post({ run = '' }: Step) {
  const curl = '#!/bin/sh\nprintf "%s\\n" "$@" > arguments\ncat > message\n';
  writeFileSync(join(folder(), 'curl'), curl, { mode: 0o755 });
  const path = [folder(), dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH: path, DIGEST: digest, WEBHOOK: webhook };
  execFileSync('sh', ['-ec', run], { cwd: folder(), env });
  const read = (name: string) => readFileSync(join(folder(), name), 'utf8');
  return { message: JSON.parse(read('message')), given: read('arguments').trim().split('\n') };
}

const ofJob = chat.steps?.[0] ?? {};

test.each([
  ['the job', ofJob],
  ['the step', step],
])('%s sends the whole digest to Slack', (_, recipe) => {
  const { message, given } = post(recipe);
  expect(message).toEqual({ text: digest });
  expect(given).toEqual(expect.arrayContaining(['--fail', 'Content-Type: application/json']));
  expect(given.at(-1)).toBe(webhook);
});

test('Discord gets the verdict as the message, and the rest as an embed that mentions no one', () => {
  const embeds = [{ description: lines.join('\n\n') }];
  const message = { content: verdict, embeds, allowed_mentions: { parse: [] } };
  expect(post(discord)).toMatchObject({ message, given: expect.arrayContaining([webhook]) });
});

test('Teams gets a card with a block for each line, and a link to the report', () => {
  const { message, given } = post(teams);
  const [{ content, contentType }] = message.attachments;
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect(content.type).toBe('AdaptiveCard');
  const texts = [verdict, ...lines.slice(0, -1), `[Open the report](${report})`];
  expect(content.body.map(({ text }: { text: string }) => text)).toEqual(texts);
  expect(given.at(-1)).toBe(webhook);
});

test.each([
  ['the job', chat.if, ofJob, 'needs'],
  ['the step', step.if, step, 'steps'],
])(
  '%s posts a report even if an alert failed it, and nothing without a report',
  (_, condition, recipe, name) => {
    const contextsOf = (text: string) => ({ [name]: { report: { outputs: { digest: text } } } });
    const isRun = (text: string) => holds(evaluate(condition ?? '', contextsOf(text)));
    expect(condition).toContain('!cancelled()');
    expect([isRun(digest), isRun('')]).toEqual([true, false]);
    expect(evaluate(recipe.env?.DIGEST ?? '', contextsOf(digest))).toBe(digest);
  },
);

test('the README’s workflow has what the job needs', () => {
  const readme = readFileSync(join(folders.examples, '../README.md'), 'utf8');
  const workflows = Array.from(readme.matchAll(/```yaml\n(name:.*?)```/gs), ([, text = '']) =>
    parse(text),
  );
  const calling = workflows.find(({ jobs }) => jobs[String(chat.needs)] !== undefined);
  expect(calling?.jobs.report.uses).toContain('/visitors-report.yml@');
  expect(readWorkflow('own', 'visitors-report.yml').on.workflow_call?.outputs).toHaveProperty(
    'digest',
  );
});
