import { isUnrelatedComment, turnAway } from './front-door.ts';

if (isUnrelatedComment(process.env)) {
  process.stdout.write(turnAway(process.env));
} else {
  // ncc leaves this import alone: main.js is a separate bundle that both phases share.
  const { exit, main } = await import(/* webpackIgnore: true */ './main.ts');
  exit(await main(process.env));
}
