/** A workflow command, as the runner finds it in a line of a step's output. */
export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

const KNOWN = new Set([
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
]);

/** Reads both forms that runners obey: `::name a=b::data` at a line's start, and `##[name a=b;]data` anywhere in it. */
export function parseCommand(line: string): WorkflowCommand | undefined {
  // .NET trims NEL (U+0085) as well, which JavaScript does not take for white space.
  return parseColons(line.replace(/^[\s\u0085]+/, '')) ?? parseBrackets(line);
}

function parseColons(line: string): WorkflowCommand | undefined {
  const end = line.indexOf('::', 2);
  if (!line.startsWith('::') || end === -1) return undefined;
  const decode = (text: string): string => unescapeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
  return command(line.slice(2, end), ',', decode, line.slice(end + 2));
}

function parseBrackets(line: string): WorkflowCommand | undefined {
  const start = line.indexOf('##[');
  const end = line.indexOf(']', start);
  if (start === -1 || end === -1) return undefined;
  const decode = (text: string): string => unescapeData(text.replaceAll('%3B', ';').replaceAll('%5D', ']'));
  return command(line.slice(start + 3, end), ';', decode, line.slice(end + 1));
}

function command(
  head: string,
  separator: string,
  decode: (text: string) => string,
  data: string,
): WorkflowCommand | undefined {
  const space = head.indexOf(' ');
  const name = (space === -1 ? head : head.slice(0, space)).toLowerCase();
  if (!KNOWN.has(name)) return undefined;
  const properties: Record<string, string> = {};
  for (const pair of space === -1 ? [] : head.slice(space + 1).split(separator)) {
    const equals = pair.indexOf('=');
    if (equals > 0) properties[pair.slice(0, equals).trim()] = decode(pair.slice(equals + 1));
  }
  return { name, properties, data: unescapeData(data) };
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
