import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import * as z from 'zod/mini';
import { agentResult } from '../src/agent/result-schema.ts';
import { collectResults } from '../src/collect/result-schema.ts';
import { inputDocs } from '../src/core/inputs/inputs.ts';
import { commonOutputs, errorReasons, jobReasons, outcomes } from '../src/core/reasons.ts';
import { failedResult, skippedResult } from '../src/core/result.ts';
import { modeInput, modeNames, modes } from '../src/modes.ts';
import { table } from '../src/text/markdown.ts';
import { visitorsResults } from '../src/visitors/result-schema.ts';

/*
 * Writes action.yml, result.schema.json, and the tables of the README between `<!-- generated:NAME -->` and
 * `<!-- /generated -->`, from the schemas. `--check` only compares.
 */

const root = resolve(import.meta.dirname, '..');

const { agent, visitors, collect } = modes;
const shapes: readonly object[] = modeNames.map((name) => modes[name].inputs.shape);
const isCommon = (name: string) => name === 'mode' || shapes.every((shape) => name in shape);
const groups = {
  'inputs-common': documented({ mode: modeInput, ...agent.inputs.shape }).filter(({ name }) =>
    isCommon(name),
  ),
  'inputs-agent': documented(agent.inputs.shape).filter(({ name }) => !isCommon(name)),
  // `thread` is an input of agent mode as well: action.yml has room for one text.
  'inputs-visitors': documented(visitors.inputs.shape).filter(({ name }) => !(name in agent.inputs.shape)),
  'inputs-collect': documented(collect.inputs.shape).filter(({ name }) => !isCommon(name)),
};
const outputs = { ...commonOutputs, ...agent.outputs, ...visitors.outputs, ...collect.outputs };
const resultSchema = z.union([
  agentResult,
  ...visitorsResults,
  ...collectResults,
  skippedResult,
  failedResult,
]);

function documented(shape: Readonly<Record<string, z.ZodMiniType>>) {
  return Object.entries(shape).map(([name, schema]) => {
    const doc = inputDocs.get(schema);
    if (doc === undefined) throw new Error(`The input ${name} has no documentation.`);
    return { name, ...doc, fallback: doc.runnerDefault ?? (doc.default || undefined) };
  });
}

function actionYml(): string {
  const inputs = Object.values(groups).flat();
  const action = {
    name: 'Docs Agent',
    description:
      'Asks the agent that writes your documentation for changes, brings you its pull request, and reports who reads it.',
    author: 'Docs Agent contributors',
    branding: { icon: 'book-open', color: 'green' },
    inputs: Object.fromEntries(
      inputs.map(({ name, description, required, fallback }) => [
        name,
        {
          description,
          required: required ?? false,
          ...(fallback === undefined ? {} : { default: fallback }),
        },
      ]),
    ),
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, description]) => [name, { description }]),
    ),
    runs: { using: 'node24', main: 'dist/index.js', post: 'dist/post.js', 'post-if': 'always()' },
  };
  const note =
    '# Inputs and outputs are written by `npm run docs` from the inputs.ts and outputs.ts of each mode; edit them there.\n';
  return note + stringify(action, { lineWidth: 0, singleQuote: true });
}

/** The JSON Schema of the output `result`. Fields that it does not name are allowed, since a later release may add some. */
function jsonSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(resultSchema, { io: 'input' });
  const head = {
    $schema,
    $id: 'https://raw.githubusercontent.com/docs-agent/docs-agent/v1/result.schema.json',
    title: 'The output `result` of Docs Agent',
    description:
      'All that a run came to. `mode` is missing where the run ended before the work of a mode began. A later release may add fields, outcomes and reasons; none goes, and none changes what it means, while `version` is 1.',
  };
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`;
}

function inputTable(inputs: ReturnType<typeof documented>): string {
  return table(
    ['Input', 'Default', 'What it is'],
    inputs.map(({ name, required, fallback, description }) => [
      `\`${name}\``,
      required ? '**required**' : fallback === undefined ? '' : `\`${fallback}\``,
      description,
    ]),
  );
}

function describedTable(head: readonly string[], described: Readonly<Record<string, string>>): string {
  return table(
    head,
    Object.entries(described).map(([name, description]) => [`\`${name}\``, description]),
  );
}

function readme(text: string): string {
  const sections: Record<string, string> = {
    ...Object.fromEntries(Object.entries(groups).map(([name, inputs]) => [name, inputTable(inputs)])),
    'outputs-agent': describedTable(['Output', 'What it holds'], { ...commonOutputs, ...agent.outputs }),
    'outputs-collect': describedTable(['Output', 'What it holds'], collect.outputs),
    'outputs-visitors': describedTable(['Output', 'What it holds'], visitors.outputs),
    outcomes: describedTable(['`outcome`', 'When'], outcomes),
    errors: describedTable(['`reason`', 'What it means'], {
      'job-failed': jobReasons['job-failed'],
      'key-changed': jobReasons['key-changed'],
      ...errorReasons,
    }),
  };
  return text.replace(
    /(<!-- generated:([a-z-]+) -->\n)[\s\S]*?(\n<!-- \/generated -->)/g,
    (_, start, name, end) => {
      const section = sections[name];
      if (section === undefined)
        throw new Error(`The README asks for a section ${name} that is not generated.`);
      return `${start}${section}${end}`;
    },
  );
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const files: [string, (now: string) => string][] = [
  ['action.yml', actionYml],
  ['result.schema.json', jsonSchema],
  ['README.md', readme],
  ['docs/collect.md', readme],
  ['docs/visitors.md', readme],
];
for (const [file, generate] of files) {
  const path = join(root, file);
  const now = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const fresh = generate(now);
  if (values.check && fresh !== now) {
    console.error(`${file} is not what the schemas say. Run \`npm run docs\` and commit it.`);
    process.exitCode = 1;
  } else if (!values.check) {
    writeFileSync(path, fresh);
  }
}
