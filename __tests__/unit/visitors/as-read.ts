/** A report as people read it: without HTML that only allows or prevents line breaks, and with code in backticks. */
export const asRead = (markdown: string) =>
  markdown
    .replaceAll(/<wbr>|\u2060/g, '')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/<\/?code>/g, '`')
    .replaceAll(/<br>(?!<sub>)/g, '\n')
    .replaceAll(/<br>|<\/?b>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
