import fc from 'fast-check';

const words = (text: string) => text.split(' ');

/** Text that could break out of code, a table cell, a comment, a line, or a block of data, or that is invisible. */
const pieces = [
  ...words('` `` ``` ```` ~~~ | \\ \\| \\\\| |---| *** ** ~~ $$ $x$ :+1: --- === ----- ]]> */'),
  ...words('<!-- --> <b> </details> </data> <img/src=x/onerror=alert(1)> &lt; &#96; &#64;octocat'),
  ...words('@octocat #1 GH-1 octo-org/docs#1 https://evil.example www.evil.example x@evil.example'),
  ...words('[x](y) ![x](y) [^1] [^1]:x é 𝒳 👩‍💻'),
  ...[
    '\n```\n',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    ' ',
    '\t',
    '    ',
    '# ',
    '- ',
    '* ',
    '> ',
    '[ ]',
    '@@ -1 +1 @@',
  ],
  ...['\v', '\f', '\x85', '\u2028', '\u2029', '\0', '\x1b[2K', '<!-- docs-agent:v1 e30.AAAA -->'],
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200c',
    '\u200d',
    '\ufe0f',
    '\ufeff',
    '\u{e0041}',
    '\u{e0100}',
  ],
];

/** Random hostile text, made of the pieces above, `others`, and arbitrary strings. */
export const hostileOf = (...others: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...pieces, ...others) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));
