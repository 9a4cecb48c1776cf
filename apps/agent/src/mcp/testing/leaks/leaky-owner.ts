import { flushCompileCache } from 'node:module';
import { createLeakyPool, type LeakyPool } from './leaky-pool.ts';

/** Owns a pool described by its JSON argument until it is killed. */
// A killed process would not write the compile cache.
flushCompileCache();
const pool = createLeakyPool(JSON.parse(process.argv[2] ?? '') as LeakyPool);
pool.start();
setInterval(() => undefined, 1000);
