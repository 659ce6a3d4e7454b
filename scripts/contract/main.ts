import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { SimClock } from '../../simulator/clock/clock.ts';
import { githubApi } from '../../simulator/github/api.ts';
import { SimulatedGitHub } from '../../simulator/github/github.ts';
import type { RecordedExchange } from '../../simulator/http/exchange.ts';

/*
 * Usage: `npm start --prefix scripts/contract`. Runs tests that use every route of the simulated GitHub, and compares each request
 * and each answer with GitHub’s OpenAPI document. The simulator has only some of GitHub’s fields, so a missing field in an answer is
 * no error. Exits with 1 if anything differs, or if no test gets a successful answer on a route.
 */

const tests = ['unit/(context|github)', 'scenario/(?!mishaps|threads)', 'acceptance/visitors'];

/** Statuses that any request may get, documented or not. A renamed repository redirects every request. */
const everywhere = [301, 401, 403, 404, 429];

/** Where GitHub does something else than its document says. */
const known = [
  // The text of an empty body (github/rest-api-description#1639).
  /^GET \S+\/(issues|releases)\/\S+: the answer 200\/body_text must be string$/,
  // The description has this field, but the schema doesn’t.
  /^GET \S+\/pulls\/{pull_number}: the answer 200 must NOT have additional properties body_text$/,
  // `startup_failure` and `stale`, which GitHub’s GraphQL API has, too.
  /^GET \S+\/check-runs: the answer 200\/check_runs\/\*\/conclusion must (be null|be equal|match)/,
  // An unknown commit, as in `GET /repos/{owner}/{repo}/commits/{ref}`.
  /^GET \S+\/check-runs: the status 422$/,
];

type Schema = Readonly<Record<string, unknown>>;
interface Message {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
interface Operation {
  readonly parameters: readonly { name: string; description?: string; schema: Schema }[];
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}

const root = resolve(import.meta.dirname, '../..');
const document = fileURLToPath(
  import.meta.resolve('@octokit/openapi/generated/api.github.com.deref.json'),
);
const { paths } = JSON.parse(readFileSync(document, 'utf8'));
const formats = { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, uri: URL.canParse };
const options = { allErrors: true, strict: false, logger: false, formats } as const;
const ajv = new Ajv(options);
const ajvForTexts = new Ajv({ ...options, coerceTypes: true });

/** Translates OpenAPI to a JSON Schema that rejects unknown fields. With `isPart`, fields may be missing. */
function toJsonSchema(schema: unknown, isPart: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((item) => toJsonSchema(item, isPart));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, required, oneOf, ...others } = schema as Schema;
  // A value that may lack fields can match several alternatives.
  const alternatives = oneOf === undefined ? {} : { anyOf: oneOf };
  const closed = others.properties === undefined ? {} : { additionalProperties: false };
  const keywords = Object.entries({ ...alternatives, ...closed, ...others });
  const translated = Object.fromEntries(
    keywords.map(([name, value]) => [name, toJsonSchema(value, isPart)]),
  );
  const whole = isPart || required === undefined ? translated : { ...translated, required };
  return nullable === true ? { anyOf: [whole, { type: 'null' }] } : whole;
}

/** Returns a function that lists what is different from GitHub in an exchange on this route. */
function createCheck(route: string): (exchange: RecordedExchange) => string[] {
  const [method = '', path = ''] = route.split(' ');
  const operation: Operation | undefined = paths[path]?.[method.toLowerCase()];
  if (operation === undefined) return () => ['GitHub has no such route'];
  const parameters = operation.parameters.map(({ name, description, schema }) => {
    const [, maximum] = /\(max (\d+)\)/.exec(description ?? '') ?? [];
    return [name, maximum === undefined ? schema : { ...schema, maximum: Number(maximum) }];
  });
  const properties = Object.fromEntries(parameters);
  const compile = ({ content = {} }: Message = {}, isPart = false) =>
    ajv.compile(toJsonSchema(content['application/json']?.schema ?? {}, isPart) as Schema);
  const isQuery = ajvForTexts.compile({ properties, additionalProperties: false });
  const isBody = compile(operation.requestBody);
  const answers = Object.entries(operation.responses);
  const isAnswer = new Map(
    answers.map(([status, answer]) => [Number(status), compile(answer, true)]),
  );

  return ({ query, body, status, answerText }) => {
    const problems = [
      ...problemsOf('the query', isQuery, query),
      ...problemsOf('the body', isBody, body),
    ];
    const isDocumented = isAnswer.get(status);
    if (isDocumented === undefined)
      return everywhere.includes(status) ? problems : [...problems, `the status ${status}`];
    const answer = answerText === '' ? undefined : JSON.parse(answerText);
    return [...problems, ...problemsOf(`the answer ${status}`, isDocumented, answer)];
  };
}

/** What is wrong with a value. The same problem in several items of a list has the same text. */
function problemsOf(what: string, isValid: ValidateFunction, value: unknown): string[] {
  if (isValid(value)) return [];
  return (isValid.errors ?? []).map(
    ({ instancePath, message, params: { additionalProperty = '' } }) =>
      `${what}${instancePath.replaceAll(/\/\d+/g, '/*')} ${message} ${additionalProperty}`.trim(),
  );
}

const file = resolve(import.meta.dirname, 'exchanges.log');
rmSync(file, { force: true });
const env = { ...process.env, SIMULATOR_EXCHANGES: file };
execFileSync('npm', ['test', '--', ...tests], { cwd: root, env, stdio: 'inherit' });
const exchanges = readFileSync(file, 'utf8').trim().split('\n');

const { routes } = githubApi(new SimulatedGitHub(new SimClock(), 'https://api.github.com'), []);
const checks = Object.fromEntries(routes.map((route) => [route, createCheck(route)]));
const unanswered = new Set<string>(routes);
const problems = new Set<string>();
for (const line of exchanges) {
  const exchange: RecordedExchange = JSON.parse(line);
  const { route = `${exchange.method} ${exchange.path}` } = exchange;
  const found = checks[route]?.(exchange) ?? ['the simulator has no such route'];
  for (const problem of found) problems.add(`${route}: ${problem}`);
  if (exchange.status < 300) unanswered.delete(route);
}
const isFound = (pattern: RegExp) => [...problems].some((problem) => pattern.test(problem));
const differences = [
  ...[...problems].filter((problem) => !known.some((pattern) => pattern.test(problem))),
  ...known.filter((pattern) => !isFound(pattern)).map((pattern) => `no longer found: ${pattern}`),
  ...[...unanswered].map((route) => `${route}: no test gets a successful answer`),
];
for (const difference of differences) console.error(difference);
console.log(
  `${exchanges.length} exchanges on ${routes.length} routes: ${differences.length} differences`,
);
process.exitCode = differences.length > 0 ? 1 : 0;
