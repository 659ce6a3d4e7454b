/*
 * The post phase: posts the end that the main phase could not post, because it was killed or GitHub refused. After a run
 * that posted its end, it does nothing and loads nothing.
 */
const saved = process.env.STATE_run ?? '';
if (saved !== '') {
  // As in index.ts: main.js is a bundle of its own.
  const { exit, finish } = await import(/* webpackIgnore: true */ './main.ts');
  await finish(saved, process.env);
  // The step has its colour from main.
  exit(0);
}
