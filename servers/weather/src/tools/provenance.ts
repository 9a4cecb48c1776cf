import type { CacheState, WeatherProvider } from '../provider.ts';

export const provenanceSchema = {
  source: { type: 'string' },
  attribution: { type: 'string' },
  demo: { type: 'boolean' },
} as const;

export const cacheSchema = {
  type: 'object',
  properties: {
    hit: { type: 'boolean' },
    ageSeconds: { type: 'integer' },
    stale: { type: 'boolean' },
  },
  required: ['hit', 'ageSeconds', 'stale'],
} as const;

export function provenance(provider: WeatherProvider) {
  const { source, attribution, demo } = provider;
  return { source, attribution, demo };
}

/**
 * Adds the origin to the text of a result: a note on made-up data first, a stale value and the
 * attribution last.
 */
export function withProvenance(
  provider: WeatherProvider,
  text: string,
  cache?: CacheState,
): string {
  const warning = provider.demo ? 'This is made-up demonstration data, not real weather.\n' : '';
  const age =
    cache?.stale === true
      ? `\nThe source cannot be asked at the moment: these values are ${Math.round(cache.ageSeconds / 60)} minutes old.`
      : '';
  return `${warning}${text}${age}\nSource: ${provider.attribution}.`;
}
