import { data, Evaluator, Lexer, Parser } from '@actions/expressions';

/* Evaluates workflow expressions with GitHub's own library. */

/** The value of an expression. */
type Value = string | number | boolean | null | object;

/** Workflow contexts by name, such as `github` and `inputs`. */
export type Contexts = Readonly<Record<string, unknown>>;

/** GitHub evaluates unknown names to null. Here, they are errors, because they are probably typos. */
class Context extends data.Dictionary {
  override get(name: string): data.ExpressionData {
    const value = super.get(name);
    if (value === undefined) throw new Error(`The test does not know what ${name} is`);
    return value;
  }
}

const cancelled = {
  name: 'cancelled',
  minArgs: 0,
  maxArgs: 0,
  call: () => new data.BooleanData(false),
};

/** Fills in every `${{ … }}` in a text. @throws for unknown names. */
export function fill(template: string, contexts: Contexts): string {
  return template.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    String(evaluate(expression, contexts) ?? ''),
  );
}

/** Evaluates an expression, with or without `${{ … }}` around it. @throws for unknown names. */
export function evaluate(text: string, contexts: Contexts): Value {
  const expression = text.replace(/^\$\{\{(.*)\}\}$/s, '$1');
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

/** Converts contexts to the evaluator's form. Only fields of `event` may be missing. */
function contextOf(fields: Contexts): Context {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new Context(...pairs.map(([key, value]) => ({ key, value: dataOf(key, value) })));
}

function dataOf(key: string, value: unknown): data.ExpressionData {
  if (key !== 'event' && typeof value === 'object' && value !== null)
    return contextOf({ ...value });
  return JSON.parse(JSON.stringify(value), data.reviver);
}
