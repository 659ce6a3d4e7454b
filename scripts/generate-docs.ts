import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { table } from '../src/text/markdown.ts';
import { messageList } from './list-messages.ts';

/*
 * Writes the tables in docs/reference.md, each between `<!-- generated:KIND NAME… -->` and `<!-- /generated -->`. Inputs and
 * outputs come from action.yml, outcomes and reasons from result.schema.json, and who takes which input from the reusable workflows.
 * Also writes the list of messages. With `--check`, only compares.
 */

interface Described {
  readonly description: string;
  readonly required?: boolean;
  readonly default?: string;
}

type ByName = Readonly<Record<string, Described>>;

const root = resolve(import.meta.dirname, '..');
const action: { inputs: ByName; outputs: ByName } = parse(read('action.yml'));
const words = wordsIn(JSON.parse(read('result.schema.json')));

const kinds: Readonly<Record<string, { head: readonly string[]; of: ByName }>> = {
  inputs: { head: ['Input', 'Default', 'What it is'], of: action.inputs },
  outputs: { head: ['Output', 'What it contains'], of: action.outputs },
  outcomes: { head: ['`outcome`', 'When'], of: words },
  reasons: { head: ['`reason`', 'What it means'], of: words },
};

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function wordsIn(schema: unknown): ByName {
  if (typeof schema !== 'object' || schema === null) return {};
  const inner = Object.assign({}, ...Object.values(schema).map(wordsIn));
  return 'const' in schema && 'description' in schema
    ? { ...inner, [String(schema.const)]: schema }
    : inner;
}

function withTables(text: string): string {
  return text.replace(
    /(<!-- generated:(\w+) (.+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_, start, kind, names, end) => `${start}${tableOf(kind, names.split(' '))}\n${end}`,
  );
}

function tableOf(kind: string, names: readonly string[]): string {
  if (kind === 'called') return calledTable(names);
  const { head, of } = kinds[kind] ?? {};
  if (head === undefined || of === undefined) throw new Error(`No such kind of table: ${kind}.`);
  const rows = names.map((name) => {
    const described = of[name];
    if (described === undefined) throw new Error(`${file}: ${name} is not one of the ${kind}.`);
    return [
      `\`${name}\``,
      ...(kind === 'inputs' ? [defaultOf(described)] : []),
      described.description,
    ];
  });
  return table(head, rows);
}

/** Which reusable workflow takes which input, and with which default. Inputs that are taken alike share a row. */
function calledTable(names: readonly string[]): string {
  const workflows = names.map(readCalled);
  const inputs = new Set(workflows.flatMap(({ inputs }) => [...inputs.keys()]));
  const cellsOf = (input: string) => workflows.map(({ inputs }) => inputs.get(input) ?? '–');
  const alike = Map.groupBy(inputs, (input) => cellsOf(input).join());
  const rows = Array.from(alike.values(), (group) => [
    group.map((input) => `\`${input}\``).join(', '),
    ...cellsOf(group[0] ?? ''),
  ]);
  const links = names.map((name) => `[${name}](../.github/workflows/${name})`);
  return table(['Input', ...links], rows);
}

/** The inputs and secrets of a reusable workflow, and what it has instead of an omitted one. */
function readCalled(name: string) {
  const text = read(`.github/workflows/${name}`);
  const { inputs, secrets } = parse(text).on.workflow_call as { inputs: ByName; secrets: ByName };
  const cells = new Map<string, string>();
  for (const [secret, described] of Object.entries(secrets))
    cells.set(secret, described.required ? '**required** secret' : 'secret');
  for (const [input, described] of Object.entries(inputs)) {
    const own = new RegExp(`inputs\\.${input} (?:\\|\\||== '' &&) '([^']+)'`, 'g');
    const defaults = Array.from(text.matchAll(own), ([, value = '']) => value);
    const usual = [...new Set(defaults)]
      .map((value) => `\`${value.replaceAll(/\s+/g, ' ')}\``)
      .join(', ');
    const omitted = action.inputs[input] === undefined ? 'optional' : 'yes';
    const taken = described.required ? '**required**' : omitted;
    cells.set(input, usual === '' ? taken : usual);
  }
  return { inputs: cells };
}

function defaultOf({ required, default: usual }: Described): string {
  if (required) return '**required**';
  return usual === undefined ? '' : `\`${usual}\``;
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const file = 'docs/reference.md';
const messages = '__tests__/fixtures/messages.md';
const fresh = { [file]: withTables(read(file)), [messages]: await messageList(read(messages)) };
for (const [name, text] of Object.entries(fresh)) {
  if (!values.check) {
    writeFileSync(join(root, name), text);
  } else if (text !== read(name)) {
    console.error(`${name} is out of date. Run \`npm run docs\` and commit it.`);
    process.exitCode = 1;
  }
}
