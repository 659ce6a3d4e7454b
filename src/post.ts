/*
 * The post phase. It posts the result if the main phase couldn't, because it was killed or GitHub refused. Otherwise it does
 * nothing and loads nothing.
 */
const saved = process.env.STATE_run ?? '';
if (saved !== '') {
  // As in index.ts, main.js is a separate bundle.
  const { exit, finish } = await import(/* webpackIgnore: true */ './main.ts');
  await finish(saved, process.env);
  // The main phase has already decided whether the step fails.
  exit(0);
}
