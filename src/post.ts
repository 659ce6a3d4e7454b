/*
 * The post phase: finishes the thread of a main phase that was killed, and does nothing, and loads nothing, after one that
 * came to its end.
 */
const saved = process.env.STATE_progress ?? '';
if (saved !== '' && !saved.includes('"stage":"ended"')) {
  const { finish } = await import('./main.ts');
  await finish(saved, process.env);
}
