import type { JsonObject } from '@signalbox/mcp-core';

/** Structured log with one line per entry. `fields` never contain secrets. */
export type Logger = {
  readonly [L in 'debug' | 'info' | 'warn' | 'error']: (
    message: string,
    fields?: JsonObject,
  ) => void;
};
