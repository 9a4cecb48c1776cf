import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { createDemoProvider } from '../mock/demo-provider.ts';
import { callTool } from '../testing/call-tool.ts';
import { weatherCompareTool } from './weather-compare.ts';
import { weatherHistoryTool } from './weather-history.ts';

const setup = {
  provider: createDemoProvider({ delayMs: 0 }),
  defaultUnits: 'metric',
  now: () => Date.parse('2026-11-20T12:00:00Z'),
} as const;
const history = (args: object, context = createTestContext()) =>
  callTool(weatherHistoryTool(setup), { location: 'Berlin', ...args }, context);

describe('weather_history', () => {
  test('gives days and a summary that agrees with them', async () => {
    const { structured, text } = await history({ start: '2024-02-28', end: '2024-03-01' });
    const { daily, summary } = structured as {
      daily: { date: string; temperatureMax: number; precipitation: number }[];
      summary: { temperatureMax: number; precipitation: number; missing: number };
    };
    expect(daily.map(({ date }) => date)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
    expect(summary.temperatureMax).toBe(Math.max(...daily.map((day) => day.temperatureMax)));
    expect(summary.precipitation).toBeCloseTo(
      daily.reduce((sum, day) => sum + day.precipitation, 0),
    );
    expect(summary.missing).toBe(0);
    expect(text).toContain('Berlin, Germany, 2024-02-28 to 2024-03-01, 3 days: mean');
  });

  test('gives months for years and years for decades, with progress for each year', async () => {
    const context = createTestContext();
    const { structured } = await history({ start: '2020-03-15', end: '2022-02-10' }, context);
    const { granularity, daily, periods } = structured as {
      granularity: string;
      daily: unknown[];
      periods: { period: string; days: number }[];
    };
    expect([granularity, daily, periods.length]).toEqual(['month', [], 24]);
    expect(periods[0]).toMatchObject({ period: '2020-03', days: 17 });
    expect(context.progressed.map(({ progress, total }) => [progress, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    const decades = await history({ start: '1990-01-01', end: '2020-12-31' });
    expect(decades.structured).toMatchObject({ granularity: 'year', periods: { length: 31 } });
  });

  test.each([
    [{ start: '2026-11-20', end: '2026-11-21' }, /after today, 2026-11-20/],
    [{ start: '2020-1-1', end: '2020-01-02' }, /start "2020-1-1" is not a date/],
    [
      { start: '2010-01-01', end: '2019-12-31', granularity: 'day' },
      /3652 days are more than 1100/,
    ],
  ])('refuses %j', async (args, problem) => {
    await expect(history(args)).rejects.toThrow(problem);
  });

  const at = (time: string, args: object) =>
    callTool(
      weatherHistoryTool({ ...setup, now: () => Date.parse(time) }),
      args,
      createTestContext(),
    );

  test.each([
    ['Tokyo', '2026-11-20T20:00:00Z', '2026-11-21'],
    ['New York', '2026-11-21T02:00:00Z', '2026-11-20'],
    // Coordinates have no known time zone before the answer; this place is at UTC+14.
    ['1.87,-157.4', '2026-11-20T12:00:00Z', '2026-11-21'],
  ])('reads until today at %s at %s', async (location, time, end) => {
    const { structured } = await at(time, { location, start: '2026-11-19', end });
    expect((structured as { daily: { date: string }[] }).daily.at(-1)?.date).toBe(end);
  });

  test.each([
    ['Tokyo', '2026-11-20T20:00:00Z', '2026-11-22', /after today, 2026-11-21/],
    ['New York', '2026-11-21T02:00:00Z', '2026-11-21', /after today, 2026-11-20/],
    ['1.87,-157.4', '2026-11-20T12:00:00Z', '2026-11-22', /after today, 2026-11-21/],
  ])('refuses tomorrow at %s at %s', async (location, time, end, problem) => {
    await expect(at(time, { location, start: '2026-11-19', end })).rejects.toThrow(problem);
  });

  test('converts every value, and draws a chart', async () => {
    const range = { start: '2024-07-01', end: '2024-07-31' };
    const metric = await history(range);
    const imperial = await history({ ...range, units: 'imperial' });
    const mean = ({ structured }: typeof metric) =>
      (structured as { summary: { temperatureMean: number } }).summary.temperatureMean;
    expect(mean(imperial)).toBeCloseTo(mean(metric) * 1.8 + 32, 1);
  });
});

describe('weather_compare of years', () => {
  const compare = (args: object) => callTool(weatherCompareTool(setup), args, createTestContext());

  test('ranks the years by their mean, or by the total of precipitation', async () => {
    const { structured } = await compare({
      location: 'Berlin',
      years: [2020, 2021],
      month: 7,
      metric: 'precipitation',
    });
    const { results, ranking } = structured as {
      results: { value: number; total: number; samples: number }[];
      ranking: { value: number }[];
    };
    expect(results.map(({ value, total, samples }) => [value === total, samples])).toEqual([
      [true, 31],
      [true, 31],
    ]);
    expect(ranking[0]?.value).toBe(Math.max(...results.map(({ value }) => value)));
  });

  test.each([
    [{ location: 'Berlin' }],
    [{ years: [2020, 2021] }],
    [{ locations: ['Berlin', 'Oslo'], years: [2020, 2021] }],
    [{ location: 'Berlin', years: [2020, 2021], days: 2 }],
    [{}],
  ])('refuses %j', async (args) => {
    await expect(compare(args)).rejects.toMatchObject({ code: 'invalid-arguments' });
  });

  const at = (time: string, location: string, years: readonly number[]) =>
    callTool(
      weatherCompareTool({ ...setup, now: () => Date.parse(time) }),
      { location, years, metric: 'temperature_max' },
      createTestContext(),
    );

  test.each([
    ['Tokyo', '2026-12-31T20:00:00Z'],
    ['1.87,-157.4', '2026-12-31T20:00:00Z'],
  ])('reads a year that has begun at %s, but not in UTC', async (location, time) => {
    const { structured } = await at(time, location, [2026, 2027]);
    expect(structured).toMatchObject({ results: [{ samples: 365 }, { samples: 1 }] });
  });

  test('ends the current year today at the place', async () => {
    const { structured } = await at('2026-01-03T02:00:00Z', 'New York', [2025, 2026]);
    expect(structured).toMatchObject({ results: [{ samples: 365 }, { samples: 2 }] });
    await expect(at('2027-01-01T02:00:00Z', 'New York', [2026, 2027])).rejects.toThrow(
      'after today, 2026-12-31',
    );
  });

  test('refuses a year that has not begun', async () => {
    await expect(compare({ location: 'Berlin', years: [2020, 2027] })).rejects.toThrow(
      'after today',
    );
  });
});
