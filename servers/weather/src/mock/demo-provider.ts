import { WeatherCaches } from '../cache/weather-caches.ts';
import { Limiter } from '../http/limiter.ts';
import { pause } from '../http/pause.ts';
import type { JsonClient } from '../http/json-client.ts';
import type { WeatherProvider } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';
import { composeProvider, type ProviderName } from '../weather-provider.ts';
import { demoCities } from './cities.ts';
import { mockResponse } from './mock-services.ts';

export interface DemoOptions {
  /** Duration of each response in milliseconds, so that long jobs can be observed; default 150. */
  readonly delayMs?: number;
  /** Maximum number of responses in preparation at once; default 2. */
  readonly maxConcurrency?: number;
  /** Default `auto`. */
  readonly provider?: ProviderName;
  readonly now?: () => Date;
}

const BASE = 'http://demo.invalid/';
const ORIGIN = { source: 'demo', attribution: 'made-up demonstration data' };

/**
 * Creates a provider of made-up weather for a few cities and any coordinates: the same for the same
 * place and day, without network access.
 */
export function createDemoProvider(options: DemoOptions = {}): WeatherProvider {
  const { delayMs = 150, maxConcurrency = 2, provider, now = () => new Date() } = options;
  const limiter = new Limiter(maxConcurrency);
  const client: JsonClient = {
    get: (url, _request, signal) =>
      limiter.run(signal, async () => {
        const isSearch = url.pathname === '/v1/search' || url.pathname === '/v1/get';
        if (!isSearch) await pause(delayMs, signal);
        const { status = 200, body } = mockResponse(url, BASE, now());
        if (status === 200) return body;
        throw new WeatherError('rejected', `The demonstration has no ${url.pathname}.`, {
          httpStatus: status,
        });
      }),
  };
  const base = new URL(BASE);
  return {
    ...composeProvider({
      client,
      caches: new WeatherCaches({ isOffline: false, now: () => now().getTime() }),
      urls: { forecast: base, geocoding: base, archive: base, airQuality: base, nws: base },
      origins: { openMeteo: ORIGIN, airQuality: ORIGIN, nws: ORIGIN },
      provider,
    }),
    demo: true,
    placeNames: [...new Set(demoCities.map((city) => city.name))],
  };
}
