import type { PullRequest } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import { hasFailed, isNamed } from '../../requests/card/checks.ts';
import { counted } from '../../text/counts.ts';

const maxChecks = 3;
const maxAnnotations = 20;

/** What the failed checks of a bot's open pull request say, or that they can't be read. `patterns` is the input `checks`. */
export async function readFailedChecks(
  { author, isOpen, headSha }: PullRequest,
  patterns: readonly string[],
  github: GitHub,
  signal: AbortSignal,
): Promise<string> {
  if (!author.isBot || !isOpen || patterns.length === 0) return '';
  const lines: string[] = [];
  try {
    const { checks = [] } = (await github.readChecks(headSha, signal)) ?? {};
    const failed = checks.filter((check) => hasFailed(check) && isNamed(check, patterns));
    for (const { id, app, name, output } of failed.slice(0, maxChecks)) {
      const { title, annotations_count: count = 0, summary } = output ?? {};
      const annotations = count === 0 ? [] : await github.readAnnotations(id, maxAnnotations, signal);
      const more = count > maxAnnotations ? `(${counted(count - maxAnnotations, 'more annotation')})` : '';
      lines.push(`${app}/${name}`, title ?? '', ...annotations, more, summary ?? '');
    }
    if (failed.length > maxChecks) lines.push(`(${counted(failed.length - maxChecks, 'more check')})`);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    lines.push('They couldn’t be read.');
  }
  return lines.filter((line) => line !== '').join('\n');
}
