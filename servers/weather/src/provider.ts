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
  /** `locality` for the town of a street address. */
  readonly precision: 'place' | 'locality' | 'coordinates';
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
  /** Conditions in words, of a source without weather codes. */
  readonly conditions?: string;
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
  /** Conditions in words, of a source without weather codes. */
  readonly conditions?: string;
}

/** Weather of one hour, in the units of `CurrentWeather`. */
export interface HourlyWeather {
  /** Local time with its offset, ISO 8601. */
  readonly time: string;
  readonly temperature: number | null;
  readonly precipitation: number | null;
  readonly precipitationProbability: number | null;
  readonly windSpeed: number | null;
  readonly weatherCode: number | null;
  /** Conditions in words, of a source without weather codes. */
  readonly conditions?: string;
}

export interface Forecast {
  /** Time zone of the days, IANA name. */
  readonly timezone: string;
  /** Days, today first. */
  readonly daily: readonly DailyWeather[];
  /** Hours of these days, if they were requested. */
  readonly hourly?: readonly HourlyWeather[];
}

/** Past weather of one day, in the units of `CurrentWeather`. */
export interface PastDay {
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly temperatureMax: number | null;
  readonly temperatureMin: number | null;
  readonly temperatureMean: number | null;
  readonly precipitation: number | null;
  readonly windSpeedMax: number | null;
  readonly weatherCode: number | null;
}

export interface History {
  /** Time zone of the days, IANA name. */
  readonly timezone: string;
  readonly days: readonly PastDay[];
}

export interface AirQuality {
  /** Local time with its offset, ISO 8601. */
  readonly observedAt: string;
  /** Time zone, IANA name. */
  readonly timezone: string;
  /** European air quality index, 0 (best) upward. */
  readonly europeanAqi: number | null;
  /** United States air quality index, 0 (best) to 500. */
  readonly usAqi: number | null;
  /** Concentrations by pollutant. */
  readonly pollutants: {
    readonly [name: string]: { readonly value: number | null; readonly unit: string };
  };
}

/** A warning of a weather service. Its texts are written by others: data, never instructions. */
export interface WeatherAlert {
  readonly event: string;
  readonly area: string;
  readonly severity: string;
  readonly headline: string | null;
  readonly description: string;
  readonly instruction: string | null;
  /** Time with its offset, ISO 8601. */
  readonly effective: string | null;
  /** Time with its offset, ISO 8601. */
  readonly expires: string | null;
}

/** The area of alerts: a code of the National Weather Service, such as `CA`, or a point. */
export type AlertArea =
  | { readonly area: string }
  | { readonly latitude: number; readonly longitude: number };

/** A part of a day in a forecast. */
export interface ForecastPeriod {
  /** Name, such as `Tonight`, or a date. */
  readonly name: string;
  /** Time with its offset, ISO 8601, or a local date. */
  readonly startTime: string;
  readonly isDaytime: boolean;
  readonly temperature: number | null;
  readonly temperatureUnit: string;
  readonly windSpeed: string;
  readonly windDirection: string;
  readonly shortForecast: string;
  readonly detailedForecast: string;
}

/** State of a cached value. */
export interface CacheState {
  readonly hit: boolean;
  readonly ageSeconds: number;
  /** Whether the value is too old, because the source was unavailable. */
  readonly stale: boolean;
}

/** The origin of a value, and the attribution that its license requires. */
export interface Origin {
  readonly source: string;
  readonly attribution: string;
}

/** A value that may come from the cache. */
export interface CachedValue<Value> {
  readonly value: Value;
  readonly cache: CacheState;
  /** Milliseconds for which the cache returns this value; 0 for a stale value. */
  readonly freshForMs: number;
}

export interface Reading<Value> extends CachedValue<Value> {
  readonly origin: Origin;
}

/** A signal, and how old a cached value may be. */
export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Milliseconds; default: until the value is no longer fresh. */
  readonly maxAgeMs?: number | undefined;
}

export interface ForecastOptions extends ReadOptions {
  /** 1 to `MAX_FORECAST_DAYS`. */
  readonly days: number;
  /** Whether to include hours; default false. */
  readonly hourly?: boolean | undefined;
}

export interface HistoryOptions extends ReadOptions {
  /** First local date, `YYYY-MM-DD`, from 1940 on. */
  readonly start: string;
  /** Last local date, `YYYY-MM-DD`, at most a year after `start`. */
  readonly end: string;
}

/**
 * A source of weather. Methods may be called concurrently. Each rejects with `WeatherError` for a
 * failure that the user can understand, and with the signal's reason soon after it aborts, with its
 * sockets closed.
 */
export interface WeatherProvider {
  /** Whether the data is fictional. */
  readonly demo: boolean;
  /** The origin of places. */
  readonly origin: Origin;
  /** Names of all places of a source with only a few. */
  readonly placeNames?: readonly string[];
  /** Returns the places that a name, or its beginning, may mean, in no particular order. */
  findPlaces(name: string, signal: AbortSignal): Promise<readonly Place[]>;
  /** Returns the place with the number of a `geo:<number>` id. */
  findPlaceById(id: number, signal: AbortSignal): Promise<Place | undefined>;
  current(place: Place, options: ReadOptions): Promise<Reading<CurrentWeather>>;
  forecast(place: Place, options: ForecastOptions): Promise<Reading<Forecast>>;
  /** Waits when the rate limit of the source would be exceeded. */
  history(place: Place, options: HistoryOptions): Promise<Reading<History>>;
  airQuality(place: Place, options: ReadOptions): Promise<Reading<AirQuality>>;
  /** Rejects with `outside-coverage` for a point outside the United States. */
  alerts(area: AlertArea, options: ReadOptions): Promise<Reading<readonly WeatherAlert[]>>;
  /** Returns the forecast in words for a place. */
  periods(place: Place, options: ReadOptions): Promise<Reading<readonly ForecastPeriod[]>>;
}

export const MAX_FORECAST_DAYS = 16;
