import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** The style sheet and Mermaid are installed with scripts/pictures, so that the project's own install stays small. */
const PAGE_PACKAGES = new URL('../../scripts/pictures/package.json', import.meta.url).pathname;

const { resolve } = createRequire(PAGE_PACKAGES);
const textOf = (file: string) => readFileSync(resolve(file), 'utf8');

const mermaid = 'mermaid/dist/mermaid.min.js';
const styleSheet = (theme: Theme) => `github-markdown-css/github-markdown-${theme}.css`;

/** Whether the packages for HTML pages are installed. */
export function canMakePages(theme: Theme): boolean {
  try {
    for (const file of [mermaid, styleSheet(theme)]) resolve(file);
    return true;
  } catch {
    return false;
  }
}

export type Theme = 'light' | 'dark';

/** A comment or a job summary, as Markdown. */
export interface Shown {
  readonly markdown: string;
  /** The author of a comment; `undefined` for a job summary. */
  readonly by?: string;
  /** The reactions below a comment, by GitHub's names for them. */
  readonly reactions?: readonly string[];
}

/** The reactions that the action uses, by GitHub's names for them. */
export const emoji: Readonly<Record<string, string>> = {
  eyes: '👀',
  rocket: '🚀',
  '+1': '👍',
  confused: '😕',
};

/** Renders Markdown like GitHub, with its style sheet, alerts, and Mermaid theme. @throws if a package is missing. */
export function pageOf(shown: readonly Shown[], theme: Theme): string {
  const body = shown.map(boxOf).join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Docs Agent preview</title>
<style>${textOf(styleSheet(theme))}</style>
<style>${frameOf(theme)}</style></head>
<body>${body}
${body.includes('language-mermaid') ? mermaidScripts(theme) : "<script>document.body.dataset.ready = 'yes'</script>"}
</body></html>`;
}

function mermaidScripts(theme: Theme): string {
  return `<script>${textOf(mermaid)}</script>
<script>
  for (const code of document.querySelectorAll('code.language-mermaid')) {
    const chart = document.createElement('div');
    chart.className = 'mermaid';
    chart.textContent = code.textContent;
    code.parentElement.replaceWith(chart);
  }
  mermaid.initialize({ startOnLoad: false, theme: '${theme === 'dark' ? 'dark' : 'default'}' });
  mermaid.run().then(() => document.body.dataset.ready = 'yes', (error) => document.body.dataset.ready = String(error));
</script>`;
}

function boxOf({ markdown, by, reactions = [] }: Shown): string {
  const html = withAlerts(
    micromark(markdown, {
      allowDangerousHtml: true,
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
    }),
  );
  const head = by === undefined ? '' : `<div class="head"><b>${by}</b> commented</div>`;
  const pills = reactions.map((name) => `<span class="reaction">${emoji[name]} 1</span>`).join('');
  const below = pills === '' ? '' : `<div class="reactions">${pills}</div>`;
  return `<div class="box">${head}<div class="markdown-body">${html}</div>${below}</div>`;
}

/** Renders GitHub's alerts, which the GFM specification doesn't include. */
function withAlerts(html: string): string {
  return html.replace(
    /<blockquote>\s*<p>\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\n([\s\S]*?)<\/blockquote>/g,
    (_, kind: string, text: string) => {
      const name = kind.charAt(0) + kind.slice(1).toLowerCase();
      const title = `<p class="markdown-alert-title">${name}</p>`;
      return `<div class="markdown-alert markdown-alert-${kind.toLowerCase()}">${title}<p>${text}</div>`;
    },
  );
}

/** The colors of GitHub's default light and dark themes. */
const colors = {
  light: { page: '#ffffff', line: '#d1d9e0', head: '#f6f8fa', words: '#59636e' },
  dark: { page: '#0d1117', line: '#3d444d', head: '#151b23', words: '#9198a1' },
} as const;

function frameOf(theme: Theme): string {
  const { page, line, head, words } = colors[theme];
  return `
    body { margin: 0; padding: 12px; background: ${page}; font-family: -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
    .box { border: 1px solid ${line}; border-radius: 6px; margin-bottom: 16px; overflow: hidden; }
    .head { background: ${head}; border-bottom: 1px solid ${line}; color: ${words}; font-size: 14px; padding: 8px 16px; }
    .markdown-body { padding: 16px; font-size: 14px; }
    /* GitHub keeps the line breaks of comments, but not those of job summaries. */
    .head + .markdown-body p { white-space: pre-line; }
    .reactions { padding: 0 16px 12px; }
    .reaction { border: 1px solid ${line}; border-radius: 100px; color: ${words}; font-size: 12px; margin-right: 8px; padding: 4px 8px; }
    .mermaid svg { max-width: 100%; height: auto; }`;
}
