import { isUnrelatedComment, skipComment } from './front-door.ts';

/** What the main phase saved about its run. Only the post phase has it. */
const saved = process.env.STATE_run;

// Most comments are not commands, so main.ts is loaded only if there is work.
if (saved === undefined && isUnrelatedComment()) {
  if (await skipComment()) process.exitCode = 1;
} else {
  const { main } = await import('./main.ts');
  await main(saved);
}
