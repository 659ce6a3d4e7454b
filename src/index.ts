const { main } = await import('./main.ts');
process.exitCode = await main();
