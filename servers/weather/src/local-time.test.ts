import { expect, test } from 'vitest';
import { forecastOf } from './open-meteo/forecast.ts';
import { nextMidnight, zonedTime } from './local-time.ts';

test.each([
  ['2026-11-20T13:15:00Z', 'Europe/Berlin', '2026-11-20T14:15:00+01:00'],
  ['2026-06-20T18:30:00Z', 'Asia/Kolkata', '2026-06-21T00:00:00+05:30'],
  ['2026-06-20T18:30:00Z', 'GMT', '2026-06-20T18:30:00+00:00'],
  ['2026-06-20T18:30:00Z', 'Nowhere/Else', '2026-06-20T18:30:00+00:00'],
])('%s in %s is %s', (instant, zone, local) => {
  expect(zonedTime(Date.parse(instant), zone)).toBe(local);
});

test('hours after the change of the clock have their own offset', () => {
  // Open-Meteo writes all hours with the offset of the request, here that of the summer.
  const { hourly = [] } = forecastOf(
    {
      timezone: 'Europe/Berlin',
      utc_offset_seconds: 7200,
      daily: { time: ['2026-10-25'] },
      hourly: {
        time: ['2026-10-25T01:00', '2026-10-25T02:00', '2026-10-25T03:00', '2026-10-25T04:00'],
      },
    },
    1,
  );
  expect(hourly.map(({ time }) => time)).toEqual([
    '2026-10-25T01:00:00+02:00',
    '2026-10-25T02:00:00+02:00',
    '2026-10-25T02:00:00+01:00',
    '2026-10-25T03:00:00+01:00',
  ]);
});

test.each([
  ['2026-12-31T22:50:30.500Z', 'Europe/Berlin', '2026-12-31T23:00:00Z'],
  ['2026-12-31T23:00:00Z', 'Europe/Berlin', '2027-01-01T23:00:00Z'],
  ['2026-06-20T18:29:59Z', 'Asia/Kolkata', '2026-06-20T18:30:00Z'],
  ['2026-06-20T18:30:00Z', '-06:00', '2026-06-21T06:00:00Z'],
  ['2026-06-20T18:30:00Z', 'Nowhere/Else', '2026-06-21T00:00:00Z'],
])('the midnight after %s in %s is %s', (instant, zone, midnight) => {
  expect(nextMidnight(Date.parse(instant), zone)).toBe(Date.parse(midnight));
});
