import { describe, expect, onTestFinished, test } from 'vitest';
import { mockServices } from '../testing/mock-services.ts';
import { providerOf } from '../testing/open-meteo.ts';
import { sendJson, startUpstream, type Answer } from '../testing/upstream.ts';

const { signal } = new AbortController();
const place = {
  id: '37.2,-93.3',
  name: '37.2,-93.3',
  regions: [],
  latitude: 37.2,
  longitude: -93.3,
  precision: 'coordinates',
} as const;

async function setUp(answer: Answer = mockServices(() => new Date('2026-11-20T18:30:00Z'))) {
  const upstream = await startUpstream(onTestFinished, answer);
  return { upstream, provider: providerOf(upstream, { provider: 'nws' }) };
}

describe('the National Weather Service', () => {
  test('gives the latest observation of the nearest station in the units of the port', async () => {
    const { provider } = await setUp();
    const { value, origin } = await provider.current(place, { signal });
    expect(origin.source).toBe('nws');
    expect(value).toMatchObject({
      observedAt: '2026-11-20T12:00:00-06:00',
      timezone: 'America/Chicago',
      temperature: 7.2,
      apparentTemperature: 4.4,
      humidity: 61.2,
      windGusts: null,
      pressure: 1014.6,
      weatherCode: null,
      conditions: 'Mostly Cloudy',
    });
  });

  test('joins day and night to days, and gives hours', async () => {
    const { provider } = await setUp();
    const { value } = await provider.forecast(place, { days: 2, hourly: true, signal });
    expect(value.daily).toMatchObject([
      { date: '2026-11-20', windSpeedMax: 16.1, windDirection: 225, conditions: 'Mostly Sunny' },
      { date: '2026-11-21' },
    ]);
    for (const day of value.daily)
      expect(day.temperatureMax).toBeGreaterThan(day.temperatureMin ?? Infinity);
    expect(value.hourly).toHaveLength(48);
    expect(value.hourly?.[0]?.time).toBe('2026-11-20T00:00:00-06:00');
  });

  test('says that a place is outside its coverage', async () => {
    const { provider } = await setUp();
    const berlin = { ...place, latitude: 52.5, longitude: 13.4 };
    await expect(provider.current(berlin, { signal })).rejects.toMatchObject({
      code: 'outside-coverage',
    });
    await expect(provider.periods(berlin, { signal })).rejects.toMatchObject({
      code: 'outside-coverage',
    });
  });

  test.each([
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'not a URL',
    undefined,
    'https://api.weather.gov.evil.example/gridpoints/X/1,1/forecast',
  ])('does not request the URL %s of an answer', async (forecast) => {
    const { provider, upstream } = await setUp(({ response }) =>
      sendJson(response, { properties: { forecast } }),
    );
    await expect(provider.periods(place, { signal })).rejects.toMatchObject({
      code: 'invalid-response',
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test('shows at most 50 alerts, without control characters', async () => {
    const { provider } = await setUp(({ response }) =>
      sendJson(response, {
        features: Array.from({ length: 80 }, () => ({
          properties: { event: '\u001b[31mFlood', description: 'a\u0000b\nc', headline: 7 },
        })),
      }),
    );
    const { value } = await provider.alerts({ area: 'CA' }, { signal });
    expect(value).toHaveLength(50);
    expect(value[0]).toMatchObject({ event: '[31mFlood', description: 'ab\nc', headline: null });
  });

  test('refuses an answer without alerts or periods', async () => {
    const { provider } = await setUp(({ response }) => sendJson(response, { features: 'none' }));
    await expect(provider.alerts({ area: 'CA' }, { signal })).rejects.toMatchObject({
      code: 'invalid-response',
    });
  });
});
