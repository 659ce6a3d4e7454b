import { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/inputs/projects.ts';
import { firstFew } from '../../text/first-few.ts';
import { shortCode } from '../../text/markdown.ts';

/** A project of which nothing could be read. */
export interface Failed {
  readonly project: Project;
  readonly failure: ActionError;
}

/** How many projects, and how many of their failures, an error names; others are counted. */
const mostNamed = 5;

/** What kept all projects from being read, one at least: the failure of the first where all are alike, else each by name. */
export function commonFailure(failures: readonly Failed[]): ActionError | undefined {
  const [first] = failures;
  if (first === undefined || failures.every(({ failure }) => failure.message === first.failure.message)) {
    return first?.failure;
  }
  const byCause = Map.groupBy(failures, ({ failure }) => `${failure.what} (\`${failure.reason}\`)`);
  const causes = Array.from(byCause, ([cause, alike]) => {
    const names = alike.map(({ project }) => shortCode(project.name));
    return `${firstFew(names, mostNamed).join(', ')}: ${cause}`;
  });
  const hints = new Set(failures.flatMap(({ failure }) => failure.hint ?? []));
  const words = failures.flatMap(({ project: { name }, failure: { said } }) =>
    said === undefined ? [] : [`${name}: ${said}`],
  );
  return new ActionError(
    first.failure.reason,
    `None of the ${failures.length} projects could be read. ${firstFew(causes, mostNamed).join('; ')}`,
    {
      hint: [...hints].slice(0, mostNamed).join(' '),
      said: words.length === 0 ? undefined : firstFew(words, mostNamed).join('\n'),
    },
  );
}
