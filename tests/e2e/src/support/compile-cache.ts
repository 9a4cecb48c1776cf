import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment in which hundreds of starts share what was compiled by the first. */
export const compileCache = {
  NODE_COMPILE_CACHE:
    process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'signalbox-compile-cache'),
};
