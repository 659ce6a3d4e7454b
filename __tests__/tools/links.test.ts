import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ACTION_DIR } from '../../simulator/runner/action.ts';

/* Links between our pages, and to files of this repository. */

const pages = globSync(['*.md', 'docs/*.md', 'examples/*.md'], { cwd: ACTION_DIR });
const proseOf = (page: string) =>
  readFileSync(join(ACTION_DIR, page), 'utf8').replace(/^ *```.*?^ *```$/gms, '');

/** The places of a page that a link can name: its headings, as GitHub names them, and `<a id="…">`. */
function placesOf(page: string): string[] {
  const ids = Array.from(proseOf(page).matchAll(/<a id="(.*?)">/g), ([, id = '']) => id);
  const headings = Array.from(proseOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...ids, ...headings];
}

/** Whether a link on a page leads to a file and, if it names one, to a place in it. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', place] = link.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ACTION_DIR, file))) return false;
  return place === undefined || placesOf(file).includes(place);
}

test.each(pages)('every link in %s leads somewhere', (page) => {
  const links = Array.from(
    proseOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)|(?:src|srcset)="(.*?)"/g),
    ([, link, picture]) => link ?? picture ?? '',
  );
  expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});
