/** A location with weather. */
export interface Place {
  /** Id that is accepted as a location: `geo:<number>` or `latitude,longitude`. */
  readonly id: string;
  readonly name: string;
  /** State, province or similar. */
  readonly admin1?: string;
  /** County, district or similar. */
  readonly admin2?: string;
  readonly country?: string;
  /** Country code, ISO 3166-1 alpha-2. */
  readonly countryCode?: string;
  /** Names of the surrounding areas, including `admin1`, for qualifiers such as "Illinois". */
  readonly regions: readonly string[];
  /** Latitude in degrees, -90 to 90. */
  readonly latitude: number;
  /** Longitude in degrees, -180 to 180. */
  readonly longitude: number;
  /** Time zone, IANA name. */
  readonly timezone?: string;
  readonly population?: number;
  readonly precision: 'place' | 'coordinates';
}

/**
 * Current weather in degrees Celsius, km/h, degrees, mm, hPa and percent; `null` where the source
 * has no value.
 */
export interface CurrentWeather {
  /** Local time of the observation with its offset, ISO 8601. */
  readonly observedAt: string;
  /** Time zone, IANA name. */
  readonly timezone: string;
  readonly temperature: number | null;
  readonly apparentTemperature: number | null;
  readonly humidity: number | null;
  readonly windSpeed: number | null;
  readonly windDirection: number | null;
  readonly windGusts: number | null;
  /** Precipitation of the preceding hour. */
  readonly precipitation: number | null;
  /** Pressure at sea level. */
  readonly pressure: number | null;
  readonly cloudCover: number | null;
  /** Weather code, WMO 4677. */
  readonly weatherCode: number | null;
}

/** Weather of one day, in the units of `CurrentWeather`. */
export interface DailyWeather {
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly temperatureMax: number | null;
  readonly temperatureMin: number | null;
  readonly precipitation: number | null;
  readonly precipitationProbability: number | null;
  readonly windSpeedMax: number | null;
  readonly windGustsMax: number | null;
  readonly windDirection: number | null;
  readonly weatherCode: number | null;
}

export interface Forecast {
  /** Time zone of the days, IANA name. */
  readonly timezone: string;
  /** Days, today first. */
  readonly daily: readonly DailyWeather[];
}

/** State of a cached value. */
export interface CacheState {
  readonly hit: boolean;
  readonly ageSeconds: number;
  /** Whether the value is too old, because the source was unavailable. */
  readonly stale: boolean;
}

export interface Reading<Value> {
  readonly value: Value;
  readonly cache: CacheState;
}

/**
 * A source of weather. Methods may be called concurrently. Each rejects with `WeatherError` for a
 * failure that the user can understand, and with the signal's reason soon after it aborts, with its
 * sockets closed.
 */
export interface WeatherProvider {
  readonly source: string;
  /** Attribution that the license of the source requires. */
  readonly attribution: string;
  /** Whether the data is fictional. */
  readonly demo: boolean;
  /** Names of all places of a source with only a few. */
  readonly placeNames?: readonly string[];
  /** Returns the places that a name may mean, in no particular order. */
  findPlaces(name: string, signal: AbortSignal): Promise<readonly Place[]>;
  /** Returns the place with the number of a `geo:<number>` id. */
  findPlaceById(id: number, signal: AbortSignal): Promise<Place | undefined>;
  current(place: Place, signal: AbortSignal): Promise<Reading<CurrentWeather>>;
  forecast(place: Place, days: number, signal: AbortSignal): Promise<Reading<Forecast>>;
}

export const MAX_FORECAST_DAYS = 16;
