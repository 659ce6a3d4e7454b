import { isSmallTalk, turnAway } from './front-door.ts';

if (isSmallTalk(process.env)) {
  turnAway(process.env);
} else {
  const { main } = await import('./main.ts');
  process.exitCode = await main(process.env);
}
