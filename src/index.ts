import { isUnrelatedComment, turnAway } from './front-door.ts';

if (isUnrelatedComment(process.env)) {
  process.stdout.write(turnAway(process.env));
} else {
  // `webpackIgnore` keeps main.js out of this bundle, because both phases share it.
  const { exit, main } = await import(/* webpackIgnore: true */ './main.ts');
  exit(await main(process.env));
}
