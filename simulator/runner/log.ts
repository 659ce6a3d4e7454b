interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly title: string | undefined;
}

/** Processes a step's output as the runner does: executes workflow commands, masks secrets, and keeps what people see. */
export class RunnerLog {
  readonly annotations: Annotation[] = [];
  readonly masks: string[] = [];
  /** Set by workflow commands, which the runner still accepts although files have replaced them. */
  readonly outputs: Record<string, string> = {};
  readonly state: Record<string, string> = {};
  readonly #lines: string[] = [];
  readonly #onLine: ((line: string) => void) | undefined;
  #stopToken: string | undefined;

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  /** Handles one line of stdout or stderr, without its newline. */
  line(line: string): void {
    if (this.#stopToken !== undefined) {
      if (line.trim() === `::${this.#stopToken}::`) this.#stopToken = undefined;
      else this.#show(line);
      return;
    }
    const command = parseCommand(line);
    if (command === undefined) this.#show(line);
    else this.#obey(command);
  }

  annotate(level: Annotation['level'], text: string, title?: string): void {
    const message = this.#masked(text);
    this.annotations.push({ level, message, title });
    this.#show(`${level[0]?.toUpperCase()}${level.slice(1)}: ${message}`);
  }

  #obey({ name, properties, data }: NonNullable<ReturnType<typeof parseCommand>>): void {
    switch (name) {
      case 'error':
      case 'warning':
      case 'notice':
        this.annotate(name, data, properties.title);
        return;
      case 'add-mask':
        // Mask each line of a longer value, too, because it could be printed separately.
        for (const part of new Set([data, ...data.split(/\r?\n/)]))
          if (part.trim() !== '') this.masks.push(part);
        return;
      case 'group':
        this.#show(`▼ ${data}`);
        return;
      case 'stop-commands':
        this.#stopToken = data;
        return;
      case 'set-output':
        this.outputs[properties.name ?? ''] = data;
        return;
      case 'save-state':
        this.state[properties.name ?? ''] = data;
        return;
    }
  }

  #show(text: string): void {
    const shown = this.#masked(text);
    this.#lines.push(shown);
    this.#onLine?.(shown);
  }

  #masked(text: string): string {
    let masked = text;
    for (const mask of this.masks) masked = masked.replaceAll(mask, '***');
    return masked;
  }
}

const KNOWN = new Set(
  (
    'add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher save-state set-env ' +
    'set-output stop-commands warning'
  ).split(' '),
);

/** Both forms that runners accept: `::name a=b::data` at the start of a line, and `##[name a=b;]data` anywhere in it. */
const FORMS = [
  // .NET also trims NEL (U+0085), which isn't whitespace in JavaScript.
  { form: /^[\s\u0085]*::(.*?)::(.*)$/s, separator: ',' },
  { form: /##\[(.*?)\](.*)$/s, separator: ';' },
];

function parseCommand(line: string) {
  for (const { form, separator } of FORMS) {
    const [, head, data = ''] = form.exec(line) ?? [];
    const [, name = '', pairs = ''] = /^([^ ]*) ?(.*)$/s.exec(head ?? '') ?? [];
    if (!KNOWN.has(name.toLowerCase())) continue;
    const properties = Object.fromEntries(pairs.split(separator).map(propertyOf));
    return { name: name.toLowerCase(), properties, data: unescapeData(data) };
  }
  return undefined;
}

function propertyOf(pair: string): [name: string, value: string] {
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  return [
    name.trim(),
    unescapeData(value.replaceAll(/%(3A|2C|3B|5D)/g, (code) => decodeURIComponent(code))),
  ];
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
