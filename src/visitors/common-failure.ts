import { ActionError } from '../core/errors.ts';
import type { Project } from '../core/inputs/projects.ts';
import { firstFew } from '../text/first-few.ts';
import { shortCode } from '../text/markdown.ts';

/** A project of which nothing could be read. */
export interface FailedRead {
  readonly project: Project;
  readonly failure: ActionError;
}

/** How many projects, and how many of their failures, an error names; others are counted. */
const mostNamed = 5;

/** Why none of the projects could be read: the first failure if all are alike, otherwise each by the names of its projects. */
export function commonFailure(failures: readonly [FailedRead, ...FailedRead[]]): ActionError {
  const [{ failure: first }] = failures;
  if (failures.every(({ failure }) => failure.message === first.message)) return first;
  const byCause = Map.groupBy(failures, ({ failure }) => `${failure.what} (\`${failure.reason}\`)`);
  const causes = Array.from(byCause, ([cause, alike]) => {
    const names = alike.map(({ project }) => shortCode(project.name));
    return `${firstFew(names, mostNamed).join(', ')}: ${cause}`;
  });
  const hints = new Set(failures.flatMap(({ failure }) => failure.hint ?? []));
  const words = failures.flatMap(({ project: { name }, failure: { said } }) =>
    said === undefined ? [] : [`${name}: ${said}`],
  );
  const what = `None of the ${failures.length} projects could be read. ${firstFew(causes, mostNamed).join('; ')}`;
  return new ActionError(first.reason, what, {
    hint: [...hints].slice(0, mostNamed).join(' '),
    said: words.length === 0 ? undefined : firstFew(words, mostNamed).join('\n'),
  });
}
