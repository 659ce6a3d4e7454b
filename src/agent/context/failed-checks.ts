import type { DepsWithGitHub } from '../../deps.ts';
import type { PullRequest } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import { hasFailed, isNamedBy } from '../../requests/card/checks.ts';
import type { CardSearch } from '../../requests/run/plan.ts';
import { pluralize } from '../../text/counts.ts';
import { code, joinTexts } from '../../text/markdown.ts';

const maxChecks = 3;
const maxAnnotations = 20;

/**
 * Reads what the failed checks of the agent's open pull request say. `unread`: what couldn't be
 * read, in Markdown. @param names the checks that count
 */
export async function readFailedChecks(
  pull: PullRequest,
  names: readonly string[],
  { github, findOwn }: Pick<DepsWithGitHub, 'github'> & Pick<CardSearch, 'findOwn'>,
) {
  if (pull.state !== 'open' || names.length === 0) return {};
  // A bot's pull request may be the agent's even if no card here names it: it may have been
  // requested in another repository.
  if (!pull.author.isBot) {
    const isOwn = !pull.isFromFork && (await findOwn([pull])).has(pull.url);
    if (!isOwn) return {};
  }
  const unread: string[] = [];
  const tryToRead = async <T>(name: string, read: () => Promise<T>) =>
    read().catch((error: unknown) => {
      if (!(error instanceof GitHubError)) throw error;
      unread.push(`${name} couldn’t be read, so they weren’t sent.`);
      return undefined;
    });

  const list = await tryToRead('The failed checks', () => github.readChecks(pull.headSha));
  const checks = list?.checks ?? [];
  const failed = checks.filter((check) => hasFailed(check) && isNamedBy(check, names));
  const lines: string[] = [];
  let remaining = maxAnnotations;
  for (const check of failed.slice(0, maxChecks)) {
    const name = `${check.app}/${check.name}`;
    const { output } = check;
    lines.push(name, output?.title ?? '');
    const total = output?.annotations_count ?? 0;
    const max = Math.min(total, remaining);
    const readAnnotations = async () => (max === 0 ? [] : github.readAnnotations(check.id, max));
    const annotations = await tryToRead(`The annotations of ${code(name)}`, readAnnotations);
    if (annotations) {
      remaining -= max;
      lines.push(...annotations);
      if (total > max) lines.push(`(${pluralize(total - max, 'more annotation')})`);
    }
    lines.push(output?.summary ?? '');
  }
  const others = failed.length - maxChecks;
  if (others > 0) lines.push(`(${pluralize(others, 'more check')})`);
  return { failedChecks: joinTexts(lines, '\n'), unread: joinTexts(unread) };
}
