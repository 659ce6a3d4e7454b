// Preloaded into a child process with `NODE_OPTIONS=--import=<this file>`: every name under `example.test` is this machine.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(name.endsWith('.example.test') ? '127.0.0.1' : name, ...rest);
syncBuiltinESMExports();
