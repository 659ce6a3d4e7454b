import { data, Evaluator, Lexer, Parser } from '@actions/expressions';

/* Workflow expressions, evaluated by GitHub's own library. */

/** The possible values of an expression. */
export type Value = string | number | boolean | null | object;

/** A workflow's contexts, such as `github` and `inputs`, by name. */
export type Contexts = Readonly<Record<string, unknown>>;

/** A context. GitHub reads an unknown name as null; here it is an error, because it is probably a typo. */
class Context extends data.Dictionary {
  override get(name: string): data.ExpressionData {
    const value = super.get(name);
    if (value === undefined) throw new Error(`The test does not know what ${name} is`);
    return value;
  }
}

const cancelled = { name: 'cancelled', minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(false) };

/** A text with its `${{ … }}` filled in. @throws Error for unknown names. */
export function fill(template: string, contexts: Contexts): string {
  return template.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    String(evaluate(expression, contexts) ?? ''),
  );
}

/** The value of an expression. @throws Error for unknown names. */
export function evaluate(expression: string, contexts: Contexts): Value {
  const known = contextOf(contexts);
  const names = known.pairs().map(({ key }) => key);
  const tree = new Parser(new Lexer(expression).lex().tokens, names, [cancelled]).parse();
  const result = new Evaluator(tree, known, new Map([['cancelled', cancelled]])).evaluate();
  if ('value' in result) return result.value;
  return result.kind === data.Kind.Null ? null : result;
}

/** Whether GitHub treats a value as true. */
export function holds(value: Value): boolean {
  return value !== null && value !== '' && value !== 0 && value !== false;
}

/** Contexts and their fields in the evaluator's form. An event may lack any field. */
function contextOf(fields: Contexts): Context {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new Context(...pairs.map(([key, value]) => ({ key, value: dataOf(key, value) })));
}

function dataOf(key: string, value: unknown): data.ExpressionData {
  if (key !== 'event' && typeof value === 'object' && value !== null) return contextOf({ ...value });
  return JSON.parse(JSON.stringify(value), data.reviver);
}
