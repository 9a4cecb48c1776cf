import { WeatherError } from '../weather-error.ts';
import { NWS_AREAS } from './areas.ts';

/**
 * Returns the code of an area in upper case.
 * @throws WeatherError `invalid-arguments` for any other text
 */
export function requireArea(text: string): string {
  const area = text.toUpperCase();
  if (NWS_AREAS.has(area)) return area;
  throw new WeatherError(
    'invalid-arguments',
    `${JSON.stringify(text.slice(0, 20))} is an unknown area. Give the code of a US state, territory or marine area, such as CA.`,
  );
}
