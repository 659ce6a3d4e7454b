/* The post phase. If the main phase was killed or couldn't post its result, this posts it. Otherwise, it loads nothing. */
const saved = process.env.STATE_run ?? '';
if (saved !== '') {
  // Like index.ts, this phase loads main.js as a separate bundle.
  const { exit, main } = await import(/* webpackIgnore: true */ './main.ts');
  await main(process.env, saved);
  // The main phase has already decided whether the step fails.
  exit(0);
}
