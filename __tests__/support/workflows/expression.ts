/*
 * The part of GitHub's expressions that the workflows here use: literals, contexts, `!`, `==`, `!=`, `>`, `&&`, `||`,
 * `contains`, `format`, `fromJSON` and `cancelled`. Whatever else there is, or is not known, is an error.
 */

/** What an expression can come to. */
export type Value = string | number | boolean | null | object;

/** The contexts of a workflow, such as `github` and `inputs`, by name. */
export type Contexts = Readonly<Record<string, unknown>>;

const token = /\s*(?:'((?:[^']|'')*)'|(\d+)|([A-Za-z_][\w-]*(?:\.[\w-]+)*)|(&&|\|\||[=!]=|[!>(),.]))/y;

/** What is known of the functions: this many texts to a value. */
const functions: Readonly<Record<string, (...given: string[]) => Value>> = {
  cancelled: () => false,
  fromJSON: (text: string) => JSON.parse(text) as Value,
  contains: (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase()),
  format: (template: string, value: string) => template.replaceAll('{0}', value),
};

interface Token {
  readonly kind: 'text' | 'number' | 'name' | 'sign';
  readonly text: string;
}

/** A text with its `${{ … }}` filled in. @throws Error for what is not known. */
export function fill(template: string, contexts: Contexts): string {
  return template.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    String(evaluate(expression, contexts) ?? ''),
  );
}

/** What an expression comes to. @throws Error for what is not known. */
export function evaluate(expression: string, contexts: Contexts): Value {
  const tokens = tokensOf(expression);
  const take = (sign: string): boolean => {
    const found = tokens[0]?.kind === 'sign' && tokens[0].text === sign;
    if (found) tokens.shift();
    return found;
  };
  const expect = (sign: string): void => {
    if (!take(sign)) throw new Error(`There is no ${sign} where one is needed: ${expression}`);
  };

  const either = (): Value => {
    let value = both();
    while (take('||')) {
      const other = both();
      value = holds(value) ? value : other;
    }
    return value;
  };
  const both = (): Value => {
    let value = compared();
    while (take('&&')) {
      const other = compared();
      value = holds(value) ? other : value;
    }
    return value;
  };
  const compared = (): Value => {
    const value = single();
    if (take('==')) return value === single();
    if (take('!=')) return value !== single();
    if (take('>')) return Number(value) > Number(single());
    return value;
  };
  const single = (): Value => {
    if (take('!')) return !holds(single());
    const next = tokens.shift();
    if (next === undefined || next.kind === 'sign') throw new Error(`The test cannot read ${expression}`);
    if (next.kind === 'text') return next.text;
    if (next.kind === 'number') return Number(next.text);
    return take('(') ? fieldOf(called(next.text)) : lookedUp(next.text, contexts);
  };
  /** A field of what a function gives, where one is asked for. */
  const fieldOf = (value: Value): Value => {
    if (!take('.')) return value;
    const next = tokens.shift();
    if (next?.kind !== 'name') throw new Error(`The test cannot read ${expression}`);
    return next.text.split('.').reduce(fieldNamed, value);
  };
  const called = (name: string): Value => {
    const given: string[] = [];
    while (!take(')')) {
      if (given.length > 0) expect(',');
      given.push(String(either() ?? ''));
    }
    const known = functions[name];
    if (known === undefined || known.length !== given.length)
      throw new Error(`The test does not know the function ${name} of ${given.length}`);
    return known(...given);
  };

  const value = either();
  if (tokens.length > 0) throw new Error(`The test cannot read ${expression}`);
  return value;
}

/** Whether GitHub takes a value for true. */
export function holds(value: Value): boolean {
  return value !== null && value !== '' && value !== 0 && value !== false;
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < expression.trimEnd().length) {
    const match = token.exec(expression);
    if (match === null) throw new Error(`The test cannot read ${expression}`);
    const [, text, number, name, sign] = match;
    if (text !== undefined) tokens.push({ kind: 'text', text: text.replaceAll("''", "'") });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else tokens.push({ kind: 'sign', text: sign ?? '' });
  }
  return tokens;
}

/** A field of a JSON value; null where there is none. */
function fieldNamed(holder: Value, name: string): Value {
  return (holder as Readonly<Record<string, Value>> | null)?.[name] ?? null;
}

/** A value of a context. What an event does not carry is null; any other name must be there, or it was mistyped. */
function lookedUp(path: string, contexts: Contexts): Value {
  const mayLack = path.startsWith('github.event.');
  let value: unknown = contexts;
  for (const name of path.split('.')) {
    const holder = value as Readonly<Record<string, unknown>> | null;
    value = holder?.[name];
    if (value !== undefined) continue;
    if (mayLack) return null;
    throw new Error(`The test does not know what ${path} is`);
  }
  return value as Value;
}
