import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callTool } from '../testing/call-tool.ts';
import {
  forecastDocument,
  geocoded,
  openMeteo,
  providerOf,
  springfields,
} from '../testing/open-meteo.ts';
import { sendJson, startUpstream, type Answer } from '../testing/upstream.ts';
import { weatherCompareTool } from './weather-compare.ts';

const places = Object.fromEntries(
  ['A', 'B', 'C', 'Bad', 'E', 'F'].map((name, index) => [name, [geocoded(index, name)]]),
);

async function setUp(answer: Answer = openMeteo(places)) {
  const upstream = await startUpstream(onTestFinished, answer);
  return {
    upstream,
    tool: weatherCompareTool({
      provider: providerOf(upstream),
      defaultUnits: 'metric',
      now: Date.now,
    }),
  };
}

describe('weather_compare', () => {
  test('gives results in input order, a ranking, and progress for every place', async () => {
    const { tool } = await setUp();
    const context = createTestContext();
    const { structured, text, isError } = await callTool(
      tool,
      { locations: ['A', 'C', 'B'], metric: 'temperature_max' },
      context,
    );
    expect(structured).toMatchObject({
      metric: 'temperature_max',
      unit: '°C',
      days: 1,
      results: [
        {
          query: 'A',
          ok: true,
          value: 10,
          location: { id: 'geo:0', name: 'A' },
          cache: { hit: false },
        },
        { query: 'C', ok: true, value: 12 },
        { query: 'B', ok: true, value: 11 },
      ],
      ranking: [
        { rank: 1, query: 'C', name: 'C', value: 12 },
        { rank: 2, query: 'B', name: 'B', value: 11 },
        { rank: 3, query: 'A', name: 'A', value: 10 },
      ],
      source: 'open-meteo',
    });
    expect(isError).toBe(false);
    expect(text).toContain(
      'temperature_max over today, highest first:\n1. C: 12 °C\n2. B: 11 °C\n3. A: 10 °C\n',
    );
    expect(context.progressed.map(({ progress, total }) => [progress, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(new Set(context.progressed.map((update) => update.message))).toEqual(
      new Set(['A: 10 °C', 'B: 11 °C', 'C: 12 °C']),
    );
  });

  test('reports every one of 20 places, the first before half of the requests are made', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `Place ${index}`);
    const { tool, upstream } = await setUp(
      openMeteo(Object.fromEntries(names.map((name, index) => [name, [geocoded(index, name)]]))),
    );
    const reported: number[] = [];
    const context = createTestContext();
    const progress: typeof context.progress = (update) => {
      reported.push(upstream.requests.length);
      return context.progress(update);
    };
    await callTool(
      tool,
      { locations: names, metric: 'wind' },
      Object.create(context, { progress: { value: progress } }) as typeof context,
    );
    expect(context.progressed.map(({ progress: done }) => done)).toEqual(
      names.map((_, index) => index + 1),
    );
    expect(reported[0]).toBeLessThan(upstream.requests.length / 2);
  });

  test('makes two requests at once, never more', async () => {
    const held: (() => void)[] = [];
    const { tool, upstream } = await setUp(({ response }) => {
      held.push(() => sendJson(response, forecastDocument(1)));
      if (held.length === 2) setTimeout(() => held.splice(0).forEach((answer) => answer()), 20);
    });
    await callTool(
      tool,
      { locations: ['1,1', '2,2', '3,3', '4,4', '5,5', '6,6'], metric: 'wind' },
      createTestContext(),
    );
    expect(upstream.requests).toHaveLength(6);
    expect(upstream.mostAtOnce()).toBe(2);
  });

  test('keeps the failure of one place apart from the others', async () => {
    const { tool } = await setUp((exchange) =>
      exchange.url.searchParams.get('latitude') === '13'
        ? sendJson(exchange.response, {}, 500)
        : openMeteo({ ...places, Springfield: springfields })(exchange),
    );
    const { structured, text, isError } = await callTool(
      tool,
      { locations: ['A', 'Bad', 'Springfield', 'Atlantis', '95,0'], metric: 'wind' },
      createTestContext(),
    );
    expect(structured).toMatchObject({
      results: [
        { query: 'A', ok: true, value: 20 },
        { query: 'Bad', ok: false, error: { code: 'unavailable' } },
        {
          query: 'Springfield',
          ok: false,
          error: { code: 'ambiguous-place', candidates: [{ id: 'geo:1' }, { id: 'geo:2' }] },
        },
        { query: 'Atlantis', ok: false, error: { code: 'unknown-place' } },
        { query: '95,0', ok: false, error: { code: 'invalid-location' } },
      ],
      ranking: [{ rank: 1, query: 'A', value: 20 }],
    });
    expect(text).toContain('Springfield: "Springfield" means several places.');
    expect(isError).toBe(false);
  });

  test('is an error when every place fails', async () => {
    const { tool } = await setUp();
    const { isError, structured } = await callTool(
      tool,
      { locations: ['X', 'Y'], metric: 'wind' },
      createTestContext(),
    );
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ ranking: [], results: [{ ok: false }, { ok: false }] });
  });

  test('takes the highest temperature and the sum of precipitation over several days, in the units asked for', async () => {
    const { tool } = await setUp(({ response }) => sendJson(response, forecastDocument(3, 20)));
    const warm = await callTool(
      tool,
      { locations: ['1,2', '3,4'], metric: 'temperature_max', days: 3, units: 'imperial' },
      createTestContext(),
    );
    const wet = await callTool(
      tool,
      { locations: ['1,2', '3,4'], metric: 'precipitation', days: 3 },
      createTestContext(),
    );
    expect(warm.structured).toMatchObject({
      unit: '°F',
      results: [{ value: 71.6 }, { value: 71.6 }],
    });
    expect(wet.structured).toMatchObject({ unit: 'mm', results: [{ value: 1.5 }, { value: 1.5 }] });
  });

  test('leaves a place without values out of the ranking', async () => {
    const { tool } = await setUp(({ response }) =>
      sendJson(response, { daily: { time: ['2026-11-20'], wind_speed_10m_max: [null] } }),
    );
    const { structured, isError } = await callTool(
      tool,
      { locations: ['1,2', '3,4'], metric: 'wind' },
      createTestContext(),
    );
    expect(structured).toMatchObject({
      results: [
        { ok: true, value: null },
        { ok: true, value: null },
      ],
      ranking: [],
    });
    expect(isError).toBe(false);
  });

  test('sends no elicitation', async () => {
    const { tool } = await setUp(openMeteo({ Springfield: springfields }));
    const context = createTestContext({
      elicit: () => ({ action: 'accept', content: { place: 'geo:1' } }),
    });
    await callTool(tool, { locations: ['Springfield', '1,2'], metric: 'wind' }, context);
    expect(context.inputRequests).toEqual([]);
  });

  test('closes its sockets, starts no other request and reports nothing more when cancelled', async () => {
    const { tool, upstream } = await setUp(() => undefined);
    const controller = new AbortController();
    const context = createTestContext({ signal: controller.signal });
    const arrived = upstream.nextRequest();
    const cut = upstream.nextCut();
    const call = callTool(
      tool,
      { locations: ['1,1', '2,2', '3,3', '4,4', '5,5'], metric: 'wind' },
      context,
    );
    await arrived;
    controller.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    await cut;
    expect(upstream.requests.length).toBeLessThanOrEqual(2);
    expect(context.progressed).toEqual([]);
  });
});
