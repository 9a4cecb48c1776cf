import { basename } from 'node:path';

/**
 * Returns the variables of a service that name its engines: the Redis of `npm run e2e -- --queue
 * bullmq-redis`, with a prefix for each folder. Default: none.
 */
export function engineVariables(folder: string): { readonly [name: string]: string } {
  const url = process.env['E2E_REDIS_URL'];
  return url === undefined
    ? {}
    : { REDIS_URL: url, SIGNALBOX_REDIS_PREFIX: basename(folder).slice(-64) };
}
