import { Limiter } from '../limiter.ts';
import { pause } from '../pause.ts';
import type { Reading, WeatherProvider } from '../provider.ts';
import { demoCities } from './cities.ts';
import { dayAfter, localClock } from './local-clock.ts';
import { madeUpDay, madeUpHour } from './made-up-weather.ts';

export interface DemoOptions {
  /** Duration of each response in milliseconds, so that long jobs can be observed; default 150. */
  readonly delayMs?: number;
  /** Maximum number of responses in preparation at once; default 2. */
  readonly maxConcurrency?: number;
  readonly now?: () => Date;
}

/**
 * Creates a provider of made-up weather for a few cities and any coordinates: the same for the same
 * place and day, without network access.
 */
export function createDemoProvider(options: DemoOptions = {}): WeatherProvider {
  const { delayMs = 150, maxConcurrency = 2, now = () => new Date() } = options;
  const limiter = new Limiter(maxConcurrency);
  const answer = <Value>(signal: AbortSignal, value: () => Value): Promise<Reading<Value>> =>
    limiter.run(signal, async () => {
      await pause(delayMs, signal);
      return { value: value(), cache: { hit: false, ageSeconds: 0, stale: false } };
    });

  return {
    source: 'demo',
    attribution: 'made-up demonstration data',
    demo: true,
    placeNames: [...new Set(demoCities.map((city) => city.name))],
    findPlaces: async (name) =>
      demoCities.filter((city) => city.name.toLowerCase() === name.toLowerCase()),
    findPlaceById: async (id) => demoCities.find((city) => city.id === `geo:${id}`),
    current: (place, signal) =>
      answer(signal, () => madeUpHour(place, localClock(now(), place.timezone ?? 'GMT'))),
    forecast: (place, days, signal) =>
      answer(signal, () => {
        const timezone = place.timezone ?? 'GMT';
        const today = localClock(now(), timezone).date;
        return {
          timezone,
          daily: Array.from({ length: days }, (_, index) =>
            madeUpDay(place, dayAfter(today, index)),
          ),
        };
      }),
  };
}
