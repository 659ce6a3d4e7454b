export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly title: string | undefined;
}

/** Reads a step's output as the runner does: carries out workflow commands, masks, and keeps what a person sees. */
export class RunnerLog {
  readonly annotations: Annotation[] = [];
  readonly masks: string[] = [];
  /** From the commands that came before the files; the runner still obeys them. */
  readonly outputs: Record<string, string> = {};
  readonly state: Record<string, string> = {};
  readonly #lines: string[] = [];
  readonly #onLine: ((line: string) => void) | undefined;
  #stopToken: string | undefined;

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** The log as a person sees it. */
  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  /** Takes one line of stdout or stderr, without its newline. */
  line(line: string): void {
    if (this.#stopToken !== undefined) {
      if (line.trim() === `::${this.#stopToken}::`) this.#stopToken = undefined;
      else this.#show(line);
      return;
    }
    const match = /^[\s\u0085]*::([a-z-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$/is.exec(line);
    if (match === null) this.#show(line);
    else
      this.#command(
        (match[1] ?? '').toLowerCase(),
        properties(match[2] ?? ''),
        unescapeData(match[3] ?? ''),
        line,
      );
  }

  annotate(annotation: Annotation): void {
    this.annotations.push(annotation);
    const { level, message } = annotation;
    this.#show(`${level[0]?.toUpperCase()}${level.slice(1)}: ${message}`);
  }

  #command(name: string, props: Record<string, string>, data: string, line: string): void {
    switch (name) {
      case 'error':
      case 'warning':
      case 'notice':
        this.annotate({ level: name, message: data, title: props.title });
        return;
      case 'add-mask':
        // A value of several lines is masked line by line as well, as it would be printed.
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
        this.outputs[props.name ?? ''] = data;
        return;
      case 'save-state':
        this.state[props.name ?? ''] = data;
        return;
      case 'debug':
      case 'endgroup':
      case 'echo':
        return;
      default:
        this.#show(line);
    }
  }

  #show(text: string): void {
    let shown = text;
    for (const mask of this.masks) shown = shown.replaceAll(mask, '***');
    this.#lines.push(shown);
    this.#onLine?.(shown);
  }
}

/** Cuts a stream's chunks into lines; `end` gives out a last line without its newline. */
export class LineSplitter {
  #rest = '';
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line.replace(/\r$/, ''));
  }

  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }
}

function properties(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return at === -1 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), unescapeProperty(pair.slice(at + 1))];
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapeProperty(text: string): string {
  return unescapeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
}
