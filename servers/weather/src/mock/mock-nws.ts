import { dayAfter } from '../local-time.ts';
import { localClock } from './local-clock.ts';
import { madeUpDay, madeUpHour } from './made-up-weather.ts';
import type { MockResponse } from './mock-response.ts';

const TIME_ZONE = 'America/Chicago';
const EVENTS = ['Heat Advisory', 'Flood Watch', 'Winter Storm Warning'] as const;

/** Responds like the National Weather Service; `undefined` for a path that it does not have. */
export function nwsDocument(url: URL, base: string, now: Date): MockResponse | undefined {
  const path = url.pathname.slice(new URL(base).pathname.length);
  if (path === 'alerts/active') return alertsDocument(url.searchParams, now);
  const [, latitude, longitude] = /^points\/(-?[\d.]+),(-?[\d.]+)$/.exec(path) ?? [];
  if (latitude !== undefined && longitude !== undefined)
    return pointDocument(Number(latitude), Number(longitude), base);
  const [, grid, kind] =
    /^gridpoints\/(MCK\/-?[\d.]+,-?[\d.]+)\/(forecast|forecast\/hourly|stations)$/.exec(path) ?? [];
  if (grid !== undefined && kind === 'stations')
    return { body: { features: [{ id: `${base}stations/KMCK` }] } };
  if (grid !== undefined) return periodsDocument(grid, kind === 'forecast/hourly', now);
  return path === 'stations/KMCK/observations/latest' ? observationDocument(now) : undefined;
}

function pointDocument(latitude: number, longitude: number, base: string): MockResponse {
  const isInside = latitude > 18 && latitude < 72 && longitude > -180 && longitude < -66;
  if (!isInside)
    return {
      status: 404,
      body: {
        type: 'https://api.weather.gov/problems/InvalidPoint',
        title: 'Data Unavailable For Requested Point',
        status: 404,
      },
    };
  const grid = `${base}gridpoints/MCK/${latitude},${longitude}`;
  return {
    body: {
      properties: {
        gridId: 'MCK',
        forecast: `${grid}/forecast`,
        forecastHourly: `${grid}/forecast/hourly`,
        observationStations: `${grid}/stations`,
        timeZone: TIME_ZONE,
      },
    },
  };
}

function periodsDocument(grid: string, isHourly: boolean, now: Date): MockResponse {
  const place = { id: grid, latitude: Number(/\/(-?[\d.]+),/.exec(grid)?.[1] ?? 40) };
  const today = localClock(now, TIME_ZONE).date;
  const period = (name: string, start: string, celsius: number | null, isDaytime: boolean) => ({
    name,
    startTime: `${start}-06:00`,
    isDaytime,
    temperature: Math.round((celsius ?? 0) * 1.8 + 32),
    temperatureUnit: 'F',
    probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: null },
    windSpeed: '5 to 10 mph',
    windDirection: 'SW',
    shortForecast: 'Mostly Sunny',
    detailedForecast: 'Mostly sunny, with a southwest wind 5 to 10 mph.',
  });
  const periods = Array.from({ length: 7 }, (_, index) => dayAfter(today, index)).flatMap((date) =>
    isHourly
      ? Array.from({ length: 24 }, (_, hour) =>
          period(
            '',
            `${date}T${String(hour).padStart(2, '0')}:00:00`,
            madeUpHour(place, { date, hour }).temperature,
            hour > 5 && hour < 18,
          ),
        )
      : [
          period(date, `${date}T06:00:00`, madeUpDay(place, date).temperatureMax, true),
          period(`${date} night`, `${date}T18:00:00`, madeUpDay(place, date).temperatureMin, false),
        ],
  );
  return { body: { properties: { periods } } };
}

function observationDocument(now: Date): MockResponse {
  const value = (unitCode: string, amount: number | null) => ({
    unitCode: `wmoUnit:${unitCode}`,
    value: amount,
  });
  return {
    body: {
      properties: {
        timestamp: new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000).toISOString(),
        textDescription: 'Mostly Cloudy',
        temperature: value('degC', 7.2),
        windChill: value('degC', 4.444_444),
        relativeHumidity: value('percent', 61.2),
        windSpeed: value('km_h-1', 16.6),
        windDirection: value('degree_(angle)', 230),
        windGust: value('km_h-1', null),
        seaLevelPressure: value('Pa', 101_460),
        precipitationLastHour: value('mm', null),
      },
    },
  };
}

/** Returns one alert for every area and point, without a description for California. */
function alertsDocument(query: URLSearchParams, now: Date): MockResponse {
  const where = query.get('area') ?? query.get('point') ?? '';
  const day = now.toISOString().slice(0, 10);
  const event = EVENTS[where.charCodeAt(0) % EVENTS.length] ?? EVENTS[0];
  return {
    body: {
      features: [
        {
          properties: {
            event,
            areaDesc: `Made-up County, ${where}`,
            severity: 'Moderate',
            headline: `${event} for ${where}`,
            description: where === 'CA' ? null : `A made-up ${event.toLowerCase()}.`,
            instruction: null,
            effective: `${day}T06:00:00-06:00`,
            expires: `${day}T20:00:00-06:00`,
            ends: null,
          },
        },
      ],
    },
  };
}
