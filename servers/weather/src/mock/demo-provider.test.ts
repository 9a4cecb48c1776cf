import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { callTool } from '../testing/call-tool.ts';
import { weatherCompareTool } from '../tools/weather-compare.ts';
import { weatherCurrentTool } from '../tools/weather-current.ts';
import { weatherForecastTool } from '../tools/weather-forecast.ts';
import { demoCities } from './cities.ts';
import { createDemoProvider } from './demo-provider.ts';

const now = () => new Date('2026-11-20T23:30:00Z');
const demo = (delayMs = 0) =>
  ({
    provider: createDemoProvider({ delayMs, now }),
    defaultUnits: 'metric',
    now: Date.now,
  }) as const;

describe('the demo provider', () => {
  test('says in every result that it is made up', async () => {
    const calls = [
      callTool(weatherCurrentTool(demo()), { location: 'Berlin' }, createTestContext()),
      callTool(weatherForecastTool(demo()), { location: 'berlin, Germany' }, createTestContext()),
      callTool(
        weatherCompareTool(demo()),
        { locations: ['Berlin', 'Tokyo'], metric: 'wind' },
        createTestContext(),
      ),
    ];
    for (const { structured, text } of await Promise.all(calls)) {
      expect(structured).toMatchObject({
        source: 'demo',
        demo: true,
        attribution: 'made-up demonstration data',
      });
      expect(text).toMatch(/^This is made-up demonstration data, not real weather\./);
    }
  });

  test('gives the same weather for the same place and day, and other weather elsewhere and on other days', async () => {
    const forecast = async (location: string) =>
      (await callTool(weatherForecastTool(demo()), { location }, createTestContext()))
        .structured as { daily: unknown[] };
    const berlin = await forecast('Berlin');
    expect(await forecast('Berlin')).toEqual(berlin);
    expect((await forecast('Hamburg')).daily).not.toEqual(berlin.daily);
    expect(
      new Set(berlin.daily.map((day) => JSON.stringify({ ...(day as object), date: '' }))).size,
    ).toBe(7);
  });

  test('uses the calendar and the clock of the place', async () => {
    const current = async (location: string) =>
      (await callTool(weatherCurrentTool(demo()), { location }, createTestContext())).structured;
    expect(await current('Tokyo')).toMatchObject({
      observedAt: '2026-11-21T08:00:00+09:00',
      location: { timezone: 'Asia/Tokyo' },
    });
    expect(await current('New York')).toMatchObject({ observedAt: '2026-11-20T18:00:00-05:00' });
    expect(await current('Delhi')).toMatchObject({ observedAt: '2026-11-21T05:00:00+05:30' });
    expect(await current('London')).toMatchObject({ observedAt: '2026-11-20T23:00:00+00:00' });
    const { structured } = await callTool(
      weatherForecastTool(demo()),
      { location: 'Tokyo', days: 11 },
      createTestContext(),
    );
    const days = (structured as { daily: { date: string }[] }).daily.map((day) => day.date);
    expect([days[0], days[10]]).toEqual(['2026-11-21', '2026-12-01']);
  });

  test('keeps current weather within its day and every value plausible', async () => {
    const provider = createDemoProvider({ delayMs: 0, now });
    const { signal } = new AbortController();
    for (const city of demoCities) {
      const { value: current } = await provider.current(city, { signal });
      const { value: forecast } = await provider.forecast(city, { days: 16, signal });
      const [today] = forecast.daily;
      expect(current.temperature).toBeGreaterThanOrEqual(today!.temperatureMin!);
      expect(current.temperature).toBeLessThanOrEqual(today!.temperatureMax!);
      for (const day of forecast.daily) {
        expect(day.temperatureMax).toBeGreaterThan(day.temperatureMin!);
        expect(Math.abs(day.temperatureMax!)).toBeLessThan(50);
        expect(day.precipitation).toBeGreaterThanOrEqual(0);
        expect(day.precipitationProbability).toBeLessThanOrEqual(100);
      }
    }
  });

  test('names the places it has when asked for another', async () => {
    const call = callTool(
      weatherCurrentTool(demo()),
      { location: 'Atlantis' },
      createTestContext(),
    );
    await expect(call).rejects.toMatchObject({
      code: 'unknown-place',
      message: expect.stringMatching(
        /The available places are: Amsterdam, Berlin, .*Toronto\.$/,
      ) as unknown,
    });
  });

  test('has a name that means two places', async () => {
    await expect(
      callTool(weatherCurrentTool(demo()), { location: 'Springfield' }, createTestContext()),
    ).rejects.toMatchObject({ code: 'ambiguous-place' });
    const { structured } = await callTool(
      weatherCurrentTool(demo()),
      { location: 'Springfield, IL' },
      createTestContext(),
    );
    expect(structured).toMatchObject({ location: { admin1: 'Illinois' } });
  });

  test('accepts coordinates and its own ids', async () => {
    const { structured } = await callTool(
      weatherCurrentTool(demo()),
      { location: '-10,20' },
      createTestContext(),
    );
    expect(structured).toMatchObject({ location: { id: '-10,20', timezone: 'GMT' } });
    const tokyo = demoCities.find((city) => city.name === 'Tokyo');
    const byId = await callTool(
      weatherCurrentTool(demo()),
      { location: tokyo?.id },
      createTestContext(),
    );
    expect(byId.structured).toMatchObject({ location: { name: 'Tokyo' } });
  });

  test('ends a comparison at once when cancelled', async () => {
    const controller = new AbortController();
    const call = callTool(
      weatherCompareTool(demo(60_000)),
      { locations: ['Berlin', 'Tokyo', 'Oslo'], metric: 'wind' },
      createTestContext({ signal: controller.signal }),
    );
    controller.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
  });
});
