import type { CacheState, Origin, WeatherProvider } from '../provider.ts';

export const provenanceSchema = {
  source: { type: 'string' },
  attribution: { type: 'string' },
  demo: { type: 'boolean' },
} as const;

export const cacheSchema = {
  type: 'object',
  description: 'hit, ageSeconds, stale',
  required: ['hit', 'ageSeconds', 'stale'],
} as const;

/** Returns the members of a structured result that name the origin of its data. */
export function provenance(provider: WeatherProvider, origin: Origin = provider.origin) {
  const { source, attribution } = origin;
  return { source, attribution, demo: provider.demo };
}

export interface ProvenanceText {
  /** Default: the origin of places. */
  readonly origin?: Origin | undefined;
  readonly cache?: CacheState | undefined;
}

/**
 * Adds the origin to the text of a result: a note on made-up data first, a stale value and the
 * attribution last.
 */
export function withProvenance(
  provider: WeatherProvider,
  text: string,
  { origin = provider.origin, cache }: ProvenanceText = {},
): string {
  const warning = provider.demo ? 'This is made-up demonstration data, not real weather.\n' : '';
  const age =
    cache?.stale === true
      ? `\nThe source cannot be asked at the moment: these values are ${Math.round(cache.ageSeconds / 60)} minutes old.`
      : '';
  return `${warning}${text}${age}\nSource: ${origin.attribution}.`;
}
