import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { leastContrast, look } from './look.ts';
import { pageOf, type Theme } from './render.ts';
import { type Scene, scenes } from './scenes.ts';

/*
 * Renders what people meet as GitHub shows it, on a desk and on a phone, light and dark. Fails where something cannot be read.
 * Without `--check` it writes the pictures of the README, or with `--out` all of them, to look at.
 */

const widths = { desk: 1000, phone: 390 };
const themes: readonly Theme[] = ['light', 'dark'];
const images = new URL('../../docs/images/', import.meta.url).pathname;
const outAt = process.argv.indexOf('--out');
const out = outAt === -1 ? undefined : process.argv[outAt + 1];
const isCheck = process.argv.includes('--check');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
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
  for (const scene of await scenes()) flaws += await show(browser, scene);
} finally {
  await browser.close();
}
console.log(flaws === 0 ? 'All of it can be read.' : `${flaws} things cannot be read.`);
process.exitCode = flaws === 0 ? 0 : 1;

async function show(browser: Browser, { name, shown, isPicture }: Scene): Promise<number> {
  let found = 0;
  for (const theme of themes) {
    for (const [device, width] of Object.entries(widths)) {
      const page = await browser.newPage({ viewport: { width, height: 800 }, deviceScaleFactor: 2 });
      await page.setContent(pageOf(shown, theme));
      await page.waitForFunction(() => document.body.dataset.ready !== undefined);
      const ready = await page.evaluate(() => document.body.dataset.ready);
      if (ready !== 'yes') throw new Error(`${name}: Mermaid does not draw its chart: ${ready}`);
      for (const { what, text } of await page.evaluate(look, leastContrast)) {
        found += 1;
        console.log(`${name}, ${theme}, ${device}: ${text} is ${what}.`);
      }
      const file = `${name}-${theme}${device === 'phone' ? '-phone' : ''}.png`;
      if (out !== undefined) await page.screenshot({ path: join(out, file), fullPage: true });
      else if (!isCheck && isPicture && device === 'desk') {
        mkdirSync(images, { recursive: true });
        await page.screenshot({ path: join(images, file), fullPage: true });
      }
      await page.close();
    }
  }
  return found;
}
