import { data, Evaluator, Lexer, Parser } from '@actions/expressions';

/* The expressions of workflows, as GitHub's own evaluator reads them. */

/** What an expression can come to. */
export type Value = string | number | boolean | null | object;

/** The contexts of a workflow, such as `github` and `inputs`, by name. */
export type Contexts = Readonly<Record<string, unknown>>;

/** A context. GitHub reads an unknown name as null; here it is an error, since it was mistyped. */
class Context extends data.Dictionary {
  override get(name: string): data.ExpressionData {
    const value = super.get(name);
    if (value === undefined) throw new Error(`The test does not know what ${name} is`);
    return value;
  }
}

const cancelled = { name: 'cancelled', minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(false) };

/** A text with its `${{ … }}` filled in. @throws Error for what is not known. */
export function fill(template: string, contexts: Contexts): string {
  return template.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    String(evaluate(expression, contexts) ?? ''),
  );
}

/** What an expression comes to. @throws Error for what is not known. */
export function evaluate(expression: string, contexts: Contexts): Value {
  const known = contextOf(contexts);
  const names = known.pairs().map(({ key }) => key);
  const tree = new Parser(new Lexer(expression).lex().tokens, names, [cancelled]).parse();
  const result = new Evaluator(tree, known, new Map([['cancelled', cancelled]])).evaluate();
  if ('value' in result) return result.value;
  return result.kind === data.Kind.Null ? null : result;
}

/** Whether GitHub takes a value for true. */
export function holds(value: Value): boolean {
  return value !== null && value !== '' && value !== 0 && value !== false;
}

/** Contexts and their fields as the evaluator takes them. An event may lack any field. */
function contextOf(fields: Contexts): Context {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new Context(...pairs.map(([key, value]) => ({ key, value: dataOf(key, value) })));
}

function dataOf(key: string, value: unknown): data.ExpressionData {
  if (key !== 'event' && typeof value === 'object' && value !== null) return contextOf({ ...value });
  return JSON.parse(JSON.stringify(value), data.reviver);
}
