import { isSmallTalk, turnAway } from './front-door.ts';

if (isSmallTalk(process.env)) {
  process.stdout.write(turnAway(process.env));
} else {
  // ncc leaves this import as it is: main.js is a bundle of its own, which both phases share.
  const { exit, main } = await import(/* webpackIgnore: true */ './main.ts');
  exit(await main(process.env));
}
