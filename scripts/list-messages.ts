import { globSync, readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';
import { active, card, completed, is, jobIn, pullIn } from '../__tests__/support/samples/cards.ts';
import { readProblems } from '../__tests__/support/samples/config.ts';
import { type ActionError, describeBriefly, InputError } from '../src/core/errors.ts';
import { toGitHubError } from '../src/github/errors.ts';
import { TransportError } from '../src/http/send.ts';
import type { Ending } from '../src/requests/card/card.ts';
import type { Verdict } from '../src/requests/card/checks.ts';
import { wordsFor } from '../src/requests/card/situation.ts';
import { readPromptFile } from '../src/runner/files.ts';
import { fromStatus, fromTransportError } from '../src/service/errors.ts';
import { toMarkdown } from '../src/text/phrase.ts';
import { createScrub } from '../src/text/scrub.ts';

/*
 * Every message that people can see, as one list to read: __tests__/fixtures/messages.md. A line of the list may begin with what
 * causes its message, in brackets. To add one, add its cause.
 */

const root = new URL('../', import.meta.url);

const stop = (outcome: Ending['outcome'], ...reasons: Ending['reason'][]) =>
  reasons.map((reason) => ({ stop: { outcome, reason } }));
const outage = { title: 'The service can’t be reached', text: '', markdown: '' };
const unsent = stop('failed', 'github-error', 'cancelled', 'newer-version', 'key-changed');
const unwatched = [
  ...stop('timed-out', 'deadline', 'given-up'),
  { stop: { outcome: 'timed-out', reason: 'deadline', error: outage } },
  ...stop('detached', 'cancelled', 'not-waited'),
];
const [failed, archived] = [jobIn('failed'), { ...completed, status: 'archived' }];
const open = [{}, { isDraft: true }, { isUpdated: true }, { isUpdated: false }].map((more) =>
  pullIn('open', more),
);
const ofChecks = (is: Verdict['is']) => ({ checks: { is, sha: 'a', name: 'Mintlify Deployment' } });
const checked = [
  pullIn('open', ofChecks('not-built')),
  pullIn('merged', ofChecks('published')),
  pullIn('merged', ofChecks('not-published')),
];
const states = [
  ...[
    is.ended('none', active),
    is.ended('failed', failed),
    is.ended('archived', archived),
    is.ended('gone', active),
  ],
  ...[is.ended('unseen', failed), is.ended('unseen', completed), is.ended('unconfirmed')],
];
const ends = [
  ...[{}, ...unsent, ...unsent.map((end) => ({ ...end, attempt: 2 }))],
  ...[{}, ...unwatched].map((end) => ({ ...end, state: is.working() })),
  ...states.map((state) => ({ state })),
  ...[...open, ...checked, pullIn('merged'), pullIn('closed')].map((pull) => ({
    state: is.ended('pr', completed),
    pull,
  })),
];
const asks = [{ isCommand: true }, {}, { series: 'docs.yml' }, { thread: undefined }].flatMap(
  (ask) => (['create', 'message'] as const).map((by) => ({ isCommand: false, ...ask, ask: by })),
);

/** The messages of a run with these inputs, in the form of a URL's query. Every other input is valid. */
async function ofInputs(inputs: string): Promise<string> {
  const given = new URLSearchParams(inputs.includes('mode=') ? inputs : `prompt=x&${inputs}`);
  const readFile = (path: string) => (path === 'blank' ? '' : readPromptFile(path));
  const findLinkProblem = () => 'a symbolic link makes it point outside the workspace';
  const surroundings = { readFile, findDirectoryProblem: findLinkProblem, findLinkProblem };
  const problems = await readProblems(Object.fromEntries(given), surroundings);
  return problems.map((problem) => describeBriefly(new InputError([problem]))).join(' ');
}

/** The message for a response, such as `404 GET /job/job_1`, or for none: `unsent`, `cut`, or `late`. */
function ofService(cause: string): string {
  const [, status, method, path = ''] = cause.match(/^(\d+) (\w+) (.+)$/) ?? [];
  const lost = new TransportError('', cause !== 'unsent', cause === 'late' ? 30_000 : undefined);
  if (status === undefined) return describeBriefly(fromTransportError('', '', lost));
  const request = {
    what: '',
    path: `/v2/agent/prj_1${path}`,
    body: method === 'GET' ? undefined : {},
  };
  return describeBriefly(
    fromStatus(request, { status: Number(status), headers: {}, body: undefined }, 0),
  );
}

const call = { doing: '', tokenName: 'github-token', scrub: createScrub([]), nowMs: 0 };

/** The message for GitHub’s response, such as `403 GET issues/1 Resource not accessible by integration`, or for none. */
function ofGitHub(cause: string): string {
  const [, status, method, path, message = ''] = cause.match(/^(\d+) (\w+) (\S+) ?(.*)$/) ?? [];
  const lost = new TransportError('', true);
  if (status === undefined) return describeBriefly(toGitHubError(lost, call) as ActionError);
  const response = {
    status: Number(status),
    headers: {},
    data: { message, documentation_url: 'x' },
  };
  const request = { method, url: `/repos/octo-org/docs/${path}` };
  return describeBriefly(
    toGitHubError({ name: 'HttpError', request, response }, call) as ActionError,
  );
}

/** All texts in a syntax tree, with `…` for each expression. The texts of one error belong together. */
function textsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, value, quasis } = node as {
    type?: string;
    value?: string;
    quasis?: { cooked: string }[];
  };
  if (type === 'StringLiteral') return [`${value}`];
  const inner = Object.values(node).flatMap(textsIn);
  if (type === 'NewExpression') return [inner.filter(isSentence).join('. ')];
  return quasis === undefined ? inner : [quasis.map(({ cooked }) => cooked).join('…'), ...inner];
}

/** Whether a text has at least three words. */
const isSentence = (text: string) => /\S \S+ \S/.test(text);

/** The sentences in the code, except those that are sent to the agent. */
function textsInCode(): string[] {
  return globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('context/block.ts'))
    .sort()
    .flatMap((file) =>
      textsIn(parseSync(readFileSync(new URL(file, root), 'utf8'), { syntax: 'typescript' })),
    )
    .filter(isSentence);
}

/** The list of messages, given the last one, which has the causes. */
export async function messageList(last: string): Promise<string> {
  const [head, inputs = '', service = '', github = ''] = last.split(/(?=^## )/m);
  const fill = async (part: string, messageOf: (cause: string) => string | Promise<string>) => {
    const lines = part.split('\n').map(async (line) => {
      const [start, cause = ''] = line.match(/^- \[(.*?)\](?= |$)/) ?? [];
      return start === undefined ? line : `${start} ${await messageOf(cause)}`;
    });
    return (await Promise.all(lines)).join('\n');
  };
  const filled = [
    await fill(inputs, ofInputs),
    await fill(service, ofService),
    await fill(github, ofGitHub),
  ];
  const words = ends.flatMap((end) =>
    asks.map((ask) => {
      const { next, ...first } = wordsFor(card({ ...ask, ...end }));
      return [first.signed, ...next].map((phrase) => toMarkdown(phrase)).join(' ');
    }),
  );
  const caused = [...filled, part('Requests', words)].join('');
  const others = textsInCode().filter((text) =>
    text.split(/…|\n/).some((piece) => !caused.includes(piece)),
  );
  return `${head}${caused}${part('Other texts in the code', others)}`.trimEnd().concat('\n');
}

function part(name: string, texts: readonly string[]): string {
  const lines = texts.map((text) => `- ${text.trim().replace(/\s*\n\s*/g, ' ⏎ ')}`);
  return `## ${name}\n\n${[...new Set(lines)].join('\n')}\n\n`;
}
