/* The post phase. It has work only if the main phase was killed, or couldn't post its result. */
if (process.env.STATE_run) await import('./index.ts');
