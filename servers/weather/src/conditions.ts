/** Descriptions of the WMO weather codes that Open-Meteo uses. */
export const WMO_CODES: { readonly [code: number]: string } = {
  0: 'clear sky',
  1: 'mainly clear',
  2: 'partly cloudy',
  3: 'overcast',
  45: 'fog',
  48: 'depositing rime fog',
  51: 'light drizzle',
  53: 'moderate drizzle',
  55: 'dense drizzle',
  56: 'light freezing drizzle',
  57: 'dense freezing drizzle',
  61: 'slight rain',
  63: 'moderate rain',
  65: 'heavy rain',
  66: 'light freezing rain',
  67: 'heavy freezing rain',
  71: 'slight snowfall',
  73: 'moderate snowfall',
  75: 'heavy snowfall',
  77: 'snow grains',
  80: 'slight rain showers',
  81: 'moderate rain showers',
  82: 'violent rain showers',
  85: 'slight snow showers',
  86: 'heavy snow showers',
  95: 'thunderstorm',
  96: 'thunderstorm with slight hail',
  99: 'thunderstorm with heavy hail',
};

export interface Conditions {
  readonly code: number | null;
  readonly text: string;
}

/**
 * Returns the description of a WMO weather code that Open-Meteo uses. @see
 * https://open-meteo.com/en/docs#weather_variable_documentation
 *
 * `words` are the conditions of a source without codes.
 */
export function conditionsOf(code: number | null, words = 'unknown'): Conditions {
  if (code === null) return { code, text: words };
  return { code, text: WMO_CODES[code] ?? `unknown (${code})` };
}
