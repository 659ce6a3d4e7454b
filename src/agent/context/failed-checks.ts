import type { PullRequest } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import { hasFailed, isNamed } from '../../requests/card/checks.ts';

const mostChecks = 3;
const mostAnnotations = 20;

/** What the failed checks of an open pull request by a bot say; `undefined` if none failed, or if they can't be read. */
export async function readFailedChecks(
  { author, isOpen, headSha }: PullRequest,
  patterns: readonly string[],
  github: GitHub,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!author.isBot || !isOpen || patterns.length === 0) return undefined;
  const lines: string[] = [];
  let remaining = mostAnnotations;
  try {
    const checks = (await github.readChecks(headSha, signal)) ?? [];
    const failed = checks.filter((check) => hasFailed(check) && isNamed(check, patterns));
    for (const { id, app, name, output } of failed.slice(0, mostChecks)) {
      lines.push(`${app}/${name}`, output.title ?? '', output.summary ?? '');
      const most = Math.min(output.annotations_count, remaining);
      if (most > 0) lines.push(...(await github.readAnnotations(id, most, signal)));
      remaining -= most;
    }
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
  }
  return lines.length === 0 ? undefined : lines.filter((line) => line !== '').join('\n');
}
