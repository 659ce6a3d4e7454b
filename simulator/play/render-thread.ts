import type { GitHubStore } from '../github/store.ts';
import type { Comment, Reaction } from '../github/types.ts';
import { emoji } from './page.ts';

/** Renders a thread as readers see it: authors, texts, and reactions, without HTML comments. */
export function renderThread(github: GitHubStore, number: number): string {
  const { title, isPullRequest, state, author, body } = github.thread(number);
  const head = `#${number} ${title} (${isPullRequest ? 'pull request' : 'issue'} in ${github.fullName}, ${state})`;
  return [head, box(author, body, []), ...github.commentsOf(number).map(renderComment)].join(
    '\n\n',
  );
}

function renderComment({ login, body, reactions, history }: Comment): string {
  const edits = history.length - 1;
  const edited = edits === 0 ? '' : ` · edited ${['once', 'twice'][edits - 1] ?? `${edits} times`}`;
  return box(`${login}${edited}`, body, reactions);
}

function box(head: string, body: string, reactions: readonly Reaction[]): string {
  const text = body.replace(/<!--[\s\S]*?-->/g, '').trim();
  return [
    `┌ ${head}`,
    text.replace(/^/gm, '│ '),
    `└ ${reactions.map(({ content }) => `${emoji[content]} 1`).join('  ')}`.trimEnd(),
  ].join('\n');
}
