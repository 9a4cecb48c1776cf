import { WeatherError } from '../weather-error.ts';
import { fetchJson } from './fetch-json.ts';
import type { JsonClient } from './json-client.ts';
import { Limiter } from './limiter.ts';
import { FREE_LIMITS, RateBudget } from './rate-budget.ts';
import type { Runtime } from './runtime.ts';

export interface HttpClientOptions {
  /** User-Agent header: name, version and contact of this program. */
  readonly userAgent: string;
  /** Time limit of one attempt in milliseconds; all attempts together get one and a half times as much. */
  readonly timeoutMs: number;
  /** Maximum number of concurrent requests. */
  readonly maxConcurrency: number;
  /** Whether the limits of the free tier apply. */
  readonly isFreeTier: boolean;
  /** Values that are removed from texts of the services. */
  readonly secrets?: readonly string[] | undefined;
  readonly runtime: Runtime;
  /** Called with a line for every request. */
  readonly debug: (message: string) => void;
}

/** Creates a client that requests documents over HTTP, within the limits of the services. */
export function createHttpClient(options: HttpClientOptions): JsonClient {
  const { timeoutMs, maxConcurrency, isFreeTier, runtime } = options;
  const limiter = new Limiter(maxConcurrency);
  const budget = new RateBudget(isFreeTier ? FREE_LIMITS : [], runtime);
  const settings = { ...options, totalTimeoutMs: timeoutMs * 1.5 };
  return {
    get: async (url, { accept, weight = 0, isPatient = false }, signal) => {
      await budget.take(weight, { isPatient, signal });
      const onRetry = () => budget.spend(weight);
      return limiter.run(signal, () => fetchJson(url, { ...settings, accept, onRetry }, signal));
    },
  };
}

/** The client of a server without network access: every request fails. */
export const offlineClient: JsonClient = {
  get: (url) =>
    Promise.reject(
      new WeatherError(
        'network',
        `This server is offline (--offline), and has no earlier answer of ${url.host} to this request.`,
      ),
    ),
};
