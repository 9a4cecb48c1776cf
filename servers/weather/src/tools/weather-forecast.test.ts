import { createTestContext } from '@signalbox/mcp-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { callTool } from '../testing/call-tool.ts';
import { forecastDocument, openMeteo, providerOf } from '../testing/open-meteo.ts';
import { sendJson, startUpstream, type Answer } from '../testing/upstream.ts';
import { weatherForecastTool } from './weather-forecast.ts';

async function setUp(answer: Answer = openMeteo()) {
  const upstream = await startUpstream(onTestFinished, answer);
  return {
    upstream,
    tool: weatherForecastTool({
      provider: providerOf(upstream),
      defaultUnits: 'metric',
      now: Date.now,
    }),
  };
}

test('answers day by day, in the local days of the place', async () => {
  const { tool, upstream } = await setUp();
  const { structured, text } = await callTool(
    tool,
    { location: 'Berlin', days: 2 },
    createTestContext(),
  );
  expect(structured).toMatchObject({
    location: { name: 'Berlin', timezone: 'Europe/Berlin' },
    daily: [
      {
        date: '2026-11-20',
        temperatureMax: 11,
        temperatureMin: 1,
        precipitation: 0.5,
        precipitationProbability: 40,
        wind: { speedMax: 20, gustsMax: 40, direction: 180 },
        conditions: { code: 3, text: 'overcast' },
      },
      { date: '2026-11-21', temperatureMax: 12 },
    ],
    units: { temperature: '°C' },
    source: 'open-meteo',
    cache: { hit: false },
  });
  expect(text.split('\n')).toEqual([
    'Berlin, Testland, 2 days:',
    '2026-11-20: overcast, 1 °C to 11 °C, precipitation 0.5 mm (40%), wind up to 20 km/h, gusts 40 km/h',
    '2026-11-21: overcast, 1 °C to 12 °C, precipitation 0.5 mm (40%), wind up to 20 km/h, gusts 40 km/h',
    'Source: Weather data by Open-Meteo.com (CC BY 4.0).',
  ]);
  expect(upstream.requests.at(-1)?.searchParams.get('forecast_days')).toBe('2');
});

test('answers for seven days when no number is given, and keeps other numbers apart', async () => {
  const { tool, upstream } = await setUp();
  const week = await callTool(tool, { location: '1,2' }, createTestContext());
  const day = await callTool(tool, { location: '1,2', days: 1 }, createTestContext());
  expect((week.structured as { daily: unknown[] }).daily).toHaveLength(7);
  expect((day.structured as { daily: unknown[] }).daily).toHaveLength(1);
  await callTool(tool, { location: '1,2', days: 7 }, createTestContext());
  expect(upstream.requests).toHaveLength(2);
});

test('returns only the requested days, however many the service sends', async () => {
  const { tool } = await setUp(({ response }) =>
    sendJson(response, { daily: { time: Array(100_000).fill('2026-11-20') } }),
  );
  const { structured } = await callTool(tool, { location: '1,2', days: 3 }, createTestContext());
  expect((structured as { daily: unknown[] }).daily).toHaveLength(3);
});

test('passes short and missing columns on as null', async () => {
  const { tool } = await setUp(({ response }) =>
    sendJson(response, {
      daily: {
        time: ['2026-11-20', '2026-11-21'],
        temperature_2m_max: [4],
        weather_code: [61.5, 61],
      },
    }),
  );
  const { structured } = await callTool(tool, { location: '1,2' }, createTestContext());
  expect(structured).toMatchObject({
    daily: [
      { temperatureMax: 4, temperatureMin: null, conditions: { code: null, text: 'unknown' } },
      { temperatureMax: null, conditions: { code: 61 } },
    ],
  });
});

test.each([
  {},
  { daily: null },
  { daily: { time: 'today' } },
  { daily: { time: ['20.11.2026'] } },
  [forecastDocument(1)],
])('refuses the document %j', async (document) => {
  const { tool } = await setUp(({ response }) => sendJson(response, document));
  await expect(callTool(tool, { location: '1,2' }, createTestContext())).rejects.toMatchObject({
    code: 'invalid-response',
  });
});
