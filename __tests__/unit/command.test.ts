import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCommand } from '../../src/agent/command.ts';

const parse = (body: string) => parseCommand(body, '/docs');
const ask = (prompt: string, flags: { fresh?: boolean; noWait?: boolean } = {}) => {
  return { kind: 'ask', prompt, fresh: false, noWait: false, ...flags };
};
const help = (because?: string) => ({ kind: 'help', because });

describe('a comment isn’t a command', () => {
  test.each([
    ...[
      '> ',
      '    ',
      '\t',
      ' \t',
      '`',
      '```\n',
      '<!-- ',
      '<details>\n',
      '* ',
      '# ',
      '\\',
      '[x]: ',
      '/',
    ],
    ...[
      '\ufeff',
      '\u200b',
      '\u202e',
      '\u{e0041}',
      '\u00a0',
      '@octocat ',
      'On Monday, a wrote:\n> ',
    ],
    '\r\n\t',
  ])('with %j before the command', (text) => {
    expect(parse(`${text}/docs add it`)).toBeUndefined();
  });

  test.each([
    ...['/docsx', '/docs-x', '/docs/x', '/docs:x', '/doc s', '/ docs', '/doc\u017f x', '／docs x'],
    ...['&#47;docs x', '', ' \n\t\n'],
  ])('if it is %j', (body) => {
    expect(parse(body)).toBeUndefined();
  });

  test('if its first line doesn’t begin with the command', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (line, rest) => {
        fc.pre(line.trim() !== '' && !/^\s*\/docs(\s|$)/i.test(line));
        expect(parse(`${line}\n${rest}`)).toBeUndefined();
      }),
    );
  });

  test('if the workflow uses a different command', () => {
    expect(parseCommand('/docs x', '/doc')).toBeUndefined();
    expect(parseCommand('/doc.s x', '/docs')).toBeUndefined();
  });
});

describe('a command', () => {
  test.each([
    ['/docs add it', ask('add it')],
    ['   /DOCS\tadd it', ask('add it')],
    ['\n \t\n\r\n/docs add it\r\n\r\n', ask('add it')],
    ['/docs\n\nadd\n  it', ask('add\n  it')],
    ['/docs --new add it', ask('add it', { fresh: true })],
    ['/docs --no-wait --new add it', ask('add it', { fresh: true, noWait: true })],
    ['/docs -- --new add it', ask('--new add it')],
    ['/docs --new -- help', ask('help', { fresh: true })],
    ['/docs `a` "b  c" $(d) -- e', ask('`a` "b  c" $(d) -- e')],
    ['/docs help', help()],
    ['/docs', help()],
    ['/docs\u200b', undefined],
    ['/docs status', { kind: 'status' }],
    ['/docs status\u200b', { kind: 'status' }],
    ['/docs --new=1 x', help('There is no flag `--new=1`.')],
    ['/docs -draft x', help('There is no flag `-draft`.')],
    ['/docs ---', help('There is no flag `---`.')],
    ['/docs --new --help', help()],
    ['/docs -- \u200b', help('The prompt is empty.')],
    ['/docs --new \n \n', help('The prompt is empty.')],
  ])('%j is parsed', (body, expected) => {
    expect(parse(body)).toEqual(expected);
  });

  test('keeps every character of the prompt, except line endings and the space around it', () => {
    const text = fc.string({ unit: 'binary' }).filter((it) => !/[\r>]/.test(it));
    fc.assert(
      fc.property(text, (inner) => {
        const prompt = `a${inner}z`;
        expect(parse(`/docs ${prompt}`)).toEqual(ask(prompt));
        expect(parse(`/docs\n${prompt}\n \n`)).toEqual(ask(prompt));
        expect(parse(`/docs --new ${prompt.replaceAll('\n', '\r\n')}`)).toEqual(
          ask(prompt, { fresh: true }),
        );
      }),
    );
  });
});

describe('as typed on a phone,', () => {
  test.each([
    ...[
      '—new',
      '–new',
      '‐‐new',
      '−new',
      '-new',
      '―new',
      '\u200f—new',
      '--New',
      '\u00ad--\u00adnew',
    ],
  ])('%j is the flag `--new`', (flag) => {
    expect(parse(`/docs ${flag} add it`)).toEqual(ask('add it', { fresh: true }));
    expect(parse(`/docs –no-wait ${flag} add it`)).toEqual(
      ask('add it', { fresh: true, noWait: true }),
    );
  });

  test.each(['-h', '—help', '--help me', '?', '¿help?', 'help --new', '--new help.', '👍'])(
    '%j gets help',
    (words) => {
      expect(parse(`/docs ${words}\n`)).toEqual(help());
    },
  );

  test.each([
    'status?',
    'Status!',
    'status —no-wait',
    '--new status',
    'status -x --y',
    '**status**',
  ])('%j gets the status', (words) =>
    expect(parse(`/docs ${words}\r\n`)).toEqual({ kind: 'status' }),
  );

  test.each([
    ...[
      '- one\n- two',
      '-5 is below zero',
      '— a thought',
      'add –new it',
      'status - and why',
      'help us!',
    ],
    ...['status\n--new is a flag', 'status\n- one', 're-new it', '数'],
  ])('%j is a prompt', (prompt) => {
    expect(parse(`/docs ${prompt}`)).toEqual(ask(prompt));
    expect(parse(`/docs\n${prompt}`)).toEqual(ask(prompt));
  });

  test('a flag on the line after the command is part of the prompt', () => {
    for (const prompt of ['--new add it', '—new\n- one', '-h'])
      expect(parse(`/docs\n${prompt}`)).toEqual(ask(prompt));
  });
});

describe('in an email reply,', () => {
  const quote = '> **octocat** wrote\n>\n> /docs --new do it\n';
  test.each([
    `On Mon, Jan 5, 2026 at 9:00 AM octocat <notifications@github.com> wrote:\n\n${quote}`,
    `On Mon, Jan 5, 2026 at 9:00 AM octocat <notifications@github.com>\nwrote:\n\n${quote}`,
    `On Mon, Jan 5, 2026 at 9:00 AM octocat <\nnotifications@github.com> wrote:\n${quote}\n\n`,
    `On Mon, Jan 5, 2026 at 9:00 AM, someone with a long name\n<\nnotifications@github.com> wrote:\n\n${quote}>`,
  ])('the quote %j is removed', (mail) => {
    expect(parse(`/docs add it\n\n${mail}`)).toEqual(ask('add it'));
    expect(parse(`/docs status\r\n\r\n${mail.replaceAll('\n', '\r\n')}`)).toEqual({
      kind: 'status',
    });
    expect(parse(`/docs\n${mail}`)).toEqual(help());
  });

  test.each([
    'quote this:\n> as it is',
    'On the page, the author wrote:\n> as it is',
    'fix the sentence\nOn the page the author wrote:',
    'On Monday he wrote:\n> a\nand then more',
    'use\nOn the page it is rewrote:\n> a',
    'On a\n\n\n\nwrote:\n> b',
  ])('%j is a prompt, not a quote', (prompt) => {
    expect(parse(`/docs ${prompt}\n`)).toEqual(ask(prompt));
  });
});

describe('the longest comment that GitHub accepts is parsed quickly with', () => {
  const long = (head: string, unit: string, tail: string) =>
    head + unit.repeat(65_536).slice(0, 65_536 - head.length - tail.length) + tail;
  const blank = [' ', '\n', ' \n', '\t', '\t \n'];
  const busy = [
    '\u00a0',
    '> \n',
    '>',
    '-',
    '—',
    '?',
    'On ',
    'On x wrote:\n',
    'wrote: ',
    '--new ',
    '`',
  ];

  test.each([...blank, ...busy])('%j in the prompt, and before the command', (unit) => {
    const body = long('/docs a\nOn x wrote:\n', unit, '\nz');
    expect(parse(body)).toEqual(ask(body.slice('/docs '.length)));
    expect(parse(long('', unit, '\n/docs z'))).toEqual(blank.includes(unit) ? ask('z') : undefined);
  });

  test('a mail quote', () => {
    expect(parse(long('/docs a\nOn x wrote:\n', '>\n\n', '\n>'))).toEqual(ask('a'));
  });
});
