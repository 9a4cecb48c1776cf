export const UNITS = ['metric', 'imperial', 'kelvin'] as const;
export type Units = (typeof UNITS)[number];

export interface UnitLabels {
  readonly temperature: string;
  readonly windSpeed: string;
  readonly precipitation: string;
  readonly pressure: 'hPa';
  readonly humidity: '%';
  readonly cloudCover: '%';
  readonly windDirection: '°';
}

/** Conversions of the metric values of a provider; `null` stays `null`. */
export interface UnitSystem {
  readonly labels: UnitLabels;
  /** Converts from degrees Celsius. */
  temperature(value: number | null): number | null;
  /** Converts from km/h. */
  windSpeed(value: number | null): number | null;
  /** Converts from mm. */
  precipitation(value: number | null): number | null;
}

const sameEverywhere = {
  pressure: 'hPa',
  humidity: '%',
  cloudCover: '%',
  windDirection: '°',
} as const;

/** The unit systems. `kelvin`: K, m/s, mm. */
export const unitSystems: { readonly [name in Units]: UnitSystem } = {
  metric: {
    labels: { temperature: '°C', windSpeed: 'km/h', precipitation: 'mm', ...sameEverywhere },
    temperature: (value) => value,
    windSpeed: (value) => value,
    precipitation: (value) => value,
  },
  imperial: {
    labels: { temperature: '°F', windSpeed: 'mph', precipitation: 'inch', ...sameEverywhere },
    temperature: (value) => rounded(value, 1, (celsius) => celsius * 1.8 + 32),
    windSpeed: (value) => rounded(value, 1, (kmh) => kmh / 1.609344),
    precipitation: (value) => rounded(value, 2, (mm) => mm / 25.4),
  },
  kelvin: {
    labels: { temperature: 'K', windSpeed: 'm/s', precipitation: 'mm', ...sameEverywhere },
    temperature: (value) => rounded(value, 2, (celsius) => celsius + 273.15),
    windSpeed: (value) => rounded(value, 2, (kmh) => kmh / 3.6),
    precipitation: (value) => value,
  },
};

function rounded(
  value: number | null,
  decimals: number,
  convert: (value: number) => number,
): number | null {
  return value === null ? null : Number(convert(value).toFixed(decimals));
}
