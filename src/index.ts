import { isUnrelatedComment } from './front-door.ts';

const { env } = process;
/** What the main phase saved about its run. Only the post phase has it. */
const saved = env.STATE_run;

// Most comments are not commands, so main.ts is loaded only if there is work.
if (saved === undefined && isUnrelatedComment(env)) {
  const { skipComment } = await import('./skip.ts');
  await skipComment(env);
} else {
  const { main } = await import('./main.ts');
  await main(env, saved);
}
