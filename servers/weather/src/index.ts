export { createDemoProvider } from './demo/demo-provider.ts';
export type { DemoOptions } from './demo/demo-provider.ts';
export { createOpenMeteoProvider } from './open-meteo/open-meteo-provider.ts';
export type { OpenMeteoOptions } from './open-meteo/open-meteo-provider.ts';
export type { Runtime } from './open-meteo/runtime.ts';
export type {
  CacheState,
  CurrentWeather,
  DailyWeather,
  Forecast,
  Place,
  Reading,
  WeatherProvider,
} from './provider.ts';
export type { Units } from './units.ts';
export { WeatherError } from './weather-error.ts';
export type { Candidate, WeatherErrorCode, WeatherErrorDetails } from './weather-error.ts';
export { createWeatherServer } from './create-weather-server.ts';
export type { WeatherServerOptions } from './create-weather-server.ts';
