import { basename } from 'node:path';

/**
 * Returns the variables of a service that name the queue of `npm run e2e -- --queue …`: a Redis, with
 * a prefix for each folder, or the PostgreSQL database of a service that has one. Default: none.
 */
export function engineVariables(
  folder: string,
  env: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string } {
  const { E2E_REDIS_URL: url, E2E_QUEUE: queue } = process.env;
  return {
    ...(url === undefined
      ? {}
      : { REDIS_URL: url, SIGNALBOX_REDIS_PREFIX: basename(folder).slice(-64) }),
    ...(queue === undefined || env['DATABASE_URL'] === undefined ? {} : { SIGNALBOX_QUEUE: queue }),
  };
}
