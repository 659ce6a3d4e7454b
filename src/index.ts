import { enter } from './front-door.ts';

/** What the main phase saved about its run. Only the post phase has it. */
const saved = process.env.STATE_run;

const isRed = await enter(saved, async () => {
  const { main } = await import('./main.ts');
  return main(saved);
});
if (isRed) process.exitCode = 1;
