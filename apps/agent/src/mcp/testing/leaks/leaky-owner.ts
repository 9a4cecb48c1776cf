import { flushCompileCache } from 'node:module';
import { createLeakyPool, type LeakyPool } from './leaky-pool.ts';

/** Owns a pool, which its argument describes as JSON, until it is killed. */
// A process that is killed would not write it.
flushCompileCache();
const pool = createLeakyPool(JSON.parse(process.argv[2] ?? '') as LeakyPool);
pool.start();
setInterval(() => undefined, 1000);
