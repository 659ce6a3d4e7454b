import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { wrongSums } from '../../__tests__/unit/visitors/sums.ts';
import { pageOf, type Theme } from '../../simulator/play/page.ts';
import { limits, look } from './look.ts';
import type { Scene } from './scene.ts';
import { scenes } from './scenes.ts';

/*
 * Renders each scene the way GitHub does, on a desktop and a phone, light and dark. Fails if something can't be read.
 *
 *   node scripts/pictures/main.ts [scene …]               writes the pictures for the docs
 *   node scripts/pictures/main.ts --check [scene …]       writes nothing
 *   node scripts/pictures/main.ts --out DIR [scene …]     writes every picture of each scene
 */

const widths = { desk: 1000, phone: 390 };
/** The docs show pictures at this width, so that they can be read on a phone. */
const pictureWidth = 400;
const themes: readonly Theme[] = ['light', 'dark'];
const images = new URL('../../docs/images/', import.meta.url).pathname;

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, out: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => scenes.every((scene) => scene.name !== name));
if (unknown.length > 0) throw new Error(`No such scene: ${unknown.join(', ')}.`);

const installed = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({
  // By default, Playwright uses the browser that `playwright-core install` downloads.
  ...(existsSync(installed) ? { executablePath: installed } : {}),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
let flaws = 0;
try {
  for (const scene of scenes) {
    if (positionals.length === 0 || positionals.includes(scene.name))
      flaws += await show(browser, scene);
  }
} finally {
  await browser.close();
}
console.log(flaws === 0 ? 'Everything is readable.' : `${flaws} things are not readable.`);
process.exitCode = flaws === 0 ? 0 : 1;

/** Renders a scene in every theme and width, and returns the number of flaws. */
async function show(
  browser: Browser,
  { name, play, isPicture, endsAbove, maxHeight }: Scene,
): Promise<number> {
  const shown = await play();
  const isSummary = shown.every(({ by }) => by === undefined);
  for (const flaw of shown.flatMap(({ markdown }) => wrongSums(markdown)))
    console.log(`${name}: ${flaw}`);
  let found = shown.flatMap(({ markdown }) => wrongSums(markdown)).length;
  for (const theme of themes) {
    const html = pageOf(shown, theme);
    for (const [device, width] of Object.entries(widths)) {
      const page = await browser.newPage({
        viewport: { width, height: 100 },
        deviceScaleFactor: 2,
      });
      await page.setContent(html);
      // GitHub's summaries have a larger text size than its comments.
      if (isSummary) await page.addStyleTag({ content: '.markdown-body { font-size: 16px }' });
      await page.waitForFunction(() => document.body.dataset.ready !== undefined);
      const ready = await page.evaluate(() => document.body.dataset.ready);
      if (ready !== 'yes') throw new Error(`${name}: Mermaid can’t draw its chart: ${ready}`);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (device === 'phone' && maxHeight !== undefined) {
        console.log(
          `${name}, ${theme}: ${height} px high on a phone (at most ${Math.round(1.1 * maxHeight)})`,
        );
        found += Number(height > 1.1 * maxHeight);
      }
      const file = `${name}-${theme}${device === 'phone' ? '-phone' : ''}`;
      if (values.out !== undefined) await picture(page, values.out, file);
      else if (values.check !== true && isPicture && device === 'desk') {
        await page.setViewportSize({ width: pictureWidth, height: 100 });
        await picture(page, images, file, endsAbove);
        await page.setViewportSize({ width, height: 100 });
      }
      // Expand everything, because people read the collapsed parts, too.
      const folded = await page.evaluate(() => {
        const all = [...document.querySelectorAll('details')];
        for (const one of all) one.open = true;
        return all.length;
      });
      if (values.out !== undefined && folded > 0)
        await picture(page, values.out, `${file}-unfolded`);
      for (const { what, text } of await page.evaluate(look, limits)) {
        found += 1;
        console.log(`${name}, ${theme}, ${device}: ${text} is ${what}.`);
      }
      await page.close();
    }
  }
  return found;
}

async function picture(
  page: Page,
  directory: string,
  name: string,
  endsAbove?: string,
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${name}.png`);
  if (endsAbove === undefined) {
    await page.screenshot({ path, fullPage: true });
    return;
  }
  const end = await page.locator(endsAbove).first().boundingBox();
  if (end === null) throw new Error(`${name}: Nothing has the selector ${endsAbove}.`);
  const clip = { x: 0, y: 0, width: pictureWidth, height: end.y };
  await page.screenshot({ path, fullPage: true, clip });
}
