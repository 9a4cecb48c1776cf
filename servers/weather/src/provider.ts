/** A point on the earth that weather can be asked for. */
export interface Place {
  /** Means this place again when given as a location: `geo:<number>` or `latitude,longitude`. */
  readonly id: string;
  readonly name: string;
  /** State, province or the like. */
  readonly admin1?: string;
  /** County, district or the like. */
  readonly admin2?: string;
  readonly country?: string;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode?: string;
  /** Names of the areas around it, `admin1` included; what a qualifier such as "Illinois" may match. */
  readonly regions: readonly string[];
  /** Degrees, -90 to 90. */
  readonly latitude: number;
  /** Degrees, -180 to 180. */
  readonly longitude: number;
  /** IANA name. */
  readonly timezone?: string;
  readonly population?: number;
  readonly precision: 'place' | 'coordinates';
}

/** Degrees Celsius, km/h, degrees, mm, hPa and percent; `null` where the source has no value. */
export interface CurrentWeather {
  /** Local time with its offset, ISO 8601. */
  readonly observedAt: string;
  /** IANA name. */
  readonly timezone: string;
  readonly temperature: number | null;
  readonly apparentTemperature: number | null;
  readonly humidity: number | null;
  readonly windSpeed: number | null;
  readonly windDirection: number | null;
  readonly windGusts: number | null;
  /** Of the preceding hour. */
  readonly precipitation: number | null;
  /** At sea level. */
  readonly pressure: number | null;
  readonly cloudCover: number | null;
  /** WMO 4677. */
  readonly weatherCode: number | null;
}

/** Units as in `CurrentWeather`. */
export interface DailyWeather {
  /** Local calendar day, `YYYY-MM-DD`. */
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
  /** IANA name; where the days begin and end. */
  readonly timezone: string;
  /** Today first. */
  readonly daily: readonly DailyWeather[];
}

/** Whether a value was kept from an earlier request. */
export interface CacheState {
  readonly hit: boolean;
  readonly ageSeconds: number;
  /** Past its age because the source could not be asked. */
  readonly stale: boolean;
}

export interface Reading<Value> {
  readonly value: Value;
  readonly cache: CacheState;
}

/**
 * A source of weather. Methods may be called concurrently; each rejects with `WeatherError` for a failure a person can understand and with the
 * signal's reason soon after it aborts, its sockets closed.
 */
export interface WeatherProvider {
  readonly source: string;
  /** What the source's licence wants to be named. */
  readonly attribution: string;
  /** Whether the data is made up. */
  readonly demo: boolean;
  /** The names of all its places, when it knows only a few. */
  readonly placeNames?: readonly string[];
  /** Places that a name may mean, in no particular order. */
  findPlaces(name: string, signal: AbortSignal): Promise<readonly Place[]>;
  /** The place with the number of a `geo:<number>` id. */
  findPlaceById(id: number, signal: AbortSignal): Promise<Place | undefined>;
  current(place: Place, signal: AbortSignal): Promise<Reading<CurrentWeather>>;
  forecast(place: Place, days: number, signal: AbortSignal): Promise<Reading<Forecast>>;
}

export const MAX_FORECAST_DAYS = 16;
