import { longTextOf, recordOf, textOf } from '../http/json-value.ts';
import type { WeatherAlert } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';

/** Maximum number of alerts of an answer; a large state can have more than a hundred. */
export const MAX_ALERTS = 50;

/**
 * Returns the alerts of a document, the first 50. @see
 * https://www.weather.gov/documentation/services-web-alerts
 * @throws WeatherError `invalid-response`
 */
export function alertsOf(document: unknown): readonly WeatherAlert[] {
  const features = recordOf(document)?.['features'];
  if (!Array.isArray(features))
    throw new WeatherError(
      'invalid-response',
      'The National Weather Service answered without a list of alerts. Try again later.',
    );
  return features.slice(0, MAX_ALERTS).map((feature) => {
    const properties = recordOf(recordOf(feature)?.['properties']) ?? {};
    const time = (name: string) => textOf(properties[name]) ?? null;
    return {
      event: textOf(properties['event']) ?? 'Unknown event',
      area: longTextOf(properties['areaDesc']) ?? 'Unknown area',
      severity: textOf(properties['severity']) ?? 'Unknown',
      headline: longTextOf(properties['headline']) ?? null,
      description: longTextOf(properties['description']) ?? 'No description available.',
      instruction: longTextOf(properties['instruction']) ?? null,
      effective: time('effective'),
      expires: time('ends') ?? time('expires'),
    };
  });
}
