// Preload this file with `NODE_OPTIONS=--import=<this file>`. All names under `example.test` then resolve to this machine.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const { lookup } = dns;
dns.lookup = (name, ...rest) =>
  lookup(name.endsWith('.example.test') ? '127.0.0.1' : name, ...rest);
syncBuiltinESMExports();
