import type { PullRequest } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import { hasFailed, isNamed } from '../../requests/card/pull.ts';
import { counted } from '../../text/counts.ts';
import { joined, shortCode } from '../../text/markdown.ts';

const maxChecks = 3;
const maxAnnotations = 20;

/** What the failed checks of a bot's open pull request say. `unread` says what couldn't be read, as Markdown sentences. */
export async function readFailedChecks(
  { author, isOpen, headSha }: PullRequest,
  patterns: readonly string[],
  github: GitHub,
  signal: AbortSignal,
) {
  if (!author.isBot || !isOpen || patterns.length === 0) return {};
  const unread: string[] = [];
  const asFarAsReadable = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> =>
    read().catch((error: unknown) => {
      if (!(error instanceof GitHubError)) throw error;
      unread.push(`${what} couldn’t be read, so they weren’t sent.`);
      return undefined;
    });
  const read = await asFarAsReadable('The failed checks', () => github.readChecks(headSha, signal));
  const failed = read?.checks.filter((check) => hasFailed(check) && isNamed(check, patterns)) ?? [];
  const lines: string[] = [];
  let remaining = maxAnnotations;
  for (const { id, app, name, output } of failed.slice(0, maxChecks)) {
    const { title, annotations_count: count = 0, summary } = output ?? {};
    const most = Math.min(count, remaining);
    const readMost = async () => (most === 0 ? [] : github.readAnnotations(id, most, signal));
    const annotations = await asFarAsReadable(`The annotations of ${shortCode(`${app}/${name}`)}`, readMost);
    remaining -= annotations === undefined ? 0 : most;
    const more = annotations && count > most ? `(${counted(count - most, 'more annotation')})` : '';
    lines.push(`${app}/${name}`, title ?? '', ...(annotations ?? []), more, summary ?? '');
  }
  if (failed.length > maxChecks) lines.push(`(${counted(failed.length - maxChecks, 'more check')})`);
  return { failedChecks: joined(lines, '\n'), unread: joined(unread) };
}
