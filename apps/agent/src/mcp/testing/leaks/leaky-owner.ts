import { createLeakyPool, type LeakyPool } from './leaky-pool.ts';

/** Owns a pool, which its argument describes as JSON, until it is killed. */
const pool = createLeakyPool(JSON.parse(process.argv[2] ?? '') as LeakyPool);
pool.start();
setInterval(() => undefined, 1000);
