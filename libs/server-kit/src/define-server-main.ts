import type { ParseArgsOptionsConfig } from 'node:util';
import type { ServerMain } from './run-server.ts';

/**
 * Returns its argument and infers the type of the input of `start`, for a command that is defined
 * in one file and run in another.
 */
export function defineServerMain<const Options extends ParseArgsOptionsConfig>(
  definition: ServerMain<Options>,
): ServerMain<Options> {
  return definition;
}
