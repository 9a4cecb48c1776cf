import type { JsonObject } from '@signalbox/mcp-core';

/** One line per entry. `fields` never hold secrets. */
export type Logger = {
  readonly [L in 'debug' | 'info' | 'warn' | 'error']: (
    message: string,
    fields?: JsonObject,
  ) => void;
};
