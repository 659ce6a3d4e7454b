/*
 * The post phase: tells the thread the end that a killed main could not tell, or that nobody would take from main. After a
 * run that came to its end and told it, it does nothing and loads nothing.
 */
const saved = process.env.STATE_run ?? '';
if (saved !== '') {
  // As in index.ts: main.js is a bundle of its own.
  const { exit, finish } = await import(/* webpackIgnore: true */ './main.ts');
  await finish(saved, process.env);
  // The step has its colour from main.
  exit(0);
}
