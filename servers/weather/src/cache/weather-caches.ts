import { WeatherError } from '../weather-error.ts';
import type { DiskStore } from './disk-store.ts';
import { SingleFlightCache } from './single-flight-cache.ts';

export interface WeatherCacheOptions {
  /** Storage that outlives the process; default: none. */
  readonly store?: DiskStore | undefined;
  /** Whether values of any age are served when they cannot be requested; default false: one day. */
  readonly isOffline: boolean;
  readonly now: () => number;
}

/** Creates the caches of a provider, which share their storage and their rules. */
export class WeatherCaches {
  readonly #options: WeatherCacheOptions;

  constructor(options: WeatherCacheOptions) {
    this.#options = options;
  }

  /**
   * Creates a cache of one kind of values; `kind` is lower-case letters and names the files.
   * `freshUntil` returns the time (ms since the epoch) until which a value stored at `storedAt` is
   * fresh.
   */
  create<Value>(
    kind: string,
    freshUntil: (storedAt: number, value: Value) => number,
    { staleForMs = DAY_MS, maxEntries = 500 } = {},
  ): SingleFlightCache<Value> {
    const { store, isOffline, now } = this.#options;
    return new SingleFlightCache<Value>({
      freshUntil,
      staleForMs: isOffline ? Infinity : staleForMs,
      servesStale: isOutage,
      maxEntries,
      stored: store?.entries<Value>(kind),
      now,
    });
  }
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns the time of the next update: Open-Meteo computes current weather every fifteen minutes.
 */
export function nextQuarterHour(storedAt: number): number {
  return (Math.floor(storedAt / (15 * MINUTE_MS)) + 1) * 15 * MINUTE_MS;
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof WeatherError &&
    ['network', 'timeout', 'unavailable', 'rate-limited'].includes(error.code)
  );
}
