import type { ElicitParams } from '@signalbox/mcp-core';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callTool } from '../testing/call-tool.ts';
import {
  currentDocument,
  geocoded,
  openMeteo,
  providerOf,
  springfields,
} from '../testing/open-meteo.ts';
import { sendJson, startUpstream, type Answer } from '../testing/upstream.ts';
import type { WeatherProviderOptions } from '../weather-provider.ts';
import { weatherCurrentTool } from './weather-current.ts';

async function setUp(answer: Answer = openMeteo(), options: Partial<WeatherProviderOptions> = {}) {
  const upstream = await startUpstream(onTestFinished, answer);
  const tool = weatherCurrentTool({
    provider: providerOf(upstream, options),
    defaultUnits: 'metric',
    now: Date.now,
  });
  return { upstream, tool };
}

describe('weather_current', () => {
  test('answers with the place, the values, their units and where they come from', async () => {
    const { tool, upstream } = await setUp();
    const { structured, text } = await callTool(tool, { location: 'Berlin' }, createTestContext());
    expect(structured).toEqual({
      location: {
        id: 'geo:1',
        name: 'Berlin',
        country: 'Testland',
        latitude: 11,
        longitude: 20,
        timezone: 'Europe/Berlin',
        precision: 'place',
      },
      observedAt: '2026-11-20T14:15:00+01:00',
      temperature: 3.4,
      apparentTemperature: -0.6,
      humidity: 87,
      wind: { speed: 14.2, direction: 250, gusts: 30.6 },
      precipitation: 0.2,
      pressure: 1009.1,
      cloudCover: 100,
      conditions: { code: 61, text: 'slight rain' },
      units: {
        temperature: '°C',
        windSpeed: 'km/h',
        precipitation: 'mm',
        pressure: 'hPa',
        humidity: '%',
        cloudCover: '%',
        windDirection: '°',
      },
      source: 'open-meteo',
      attribution: 'Weather data by Open-Meteo.com (CC BY 4.0)',
      demo: false,
      cache: { hit: false, ageSeconds: 0, stale: false },
    });
    expect(text).toBe(
      'Berlin, Testland, 2026-11-20T14:15:00+01:00: slight rain, 3.4 °C (feels like -0.6 °C), humidity 87%, wind 14.2 km/h from 250 °, gusts 30.6 km/h, ' +
        'precipitation 0.2 mm, pressure 1009.1 hPa, clouds 100%.\nSource: Weather data by Open-Meteo.com (CC BY 4.0).',
    );
    expect(upstream.userAgents).toEqual(['signalbox-weather/test', 'signalbox-weather/test']);
  });

  test.each(['52.52,13.41', ' 52.52 , 13.41 '])(
    'asks for coordinates %j without geocoding',
    async (location) => {
      const { tool, upstream } = await setUp();
      const { structured } = await callTool(tool, { location }, createTestContext());
      expect(structured).toMatchObject({
        location: {
          id: '52.52,13.41',
          latitude: 52.52,
          longitude: 13.41,
          timezone: 'Europe/Berlin',
          precision: 'coordinates',
        },
      });
      expect(upstream.requests.map((url) => url.pathname)).toEqual(['/v1/forecast']);
      expect(upstream.requests[0]?.searchParams.get('timezone')).toBe('auto');
    },
  );

  test('converts to other units without a second request', async () => {
    const { tool, upstream } = await setUp();
    const imperial = await callTool(
      tool,
      { location: '52,13', units: 'imperial' },
      createTestContext(),
    );
    const kelvin = await callTool(
      tool,
      { location: '52,13', units: 'kelvin' },
      createTestContext(),
    );
    expect(imperial.structured).toMatchObject({
      temperature: 38.1,
      units: { temperature: '°F', windSpeed: 'mph' },
    });
    expect(kelvin.structured).toMatchObject({
      temperature: 276.55,
      wind: { speed: 3.94 },
      units: { temperature: 'K', windSpeed: 'm/s' },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test('passes null and missing values on and names an unknown weather code', async () => {
    const current = {
      time: '2026-11-20T14:15',
      temperature_2m: null,
      weather_code: 42,
      cloud_cover: 'many',
    };
    const { tool } = await setUp(({ response }) =>
      sendJson(response, { utc_offset_seconds: -12_600, current }),
    );
    const { structured, text } = await callTool(tool, { location: '52,13' }, createTestContext());
    expect(structured).toMatchObject({
      observedAt: '2026-11-20T14:15:00-03:30',
      temperature: null,
      cloudCover: null,
      wind: { speed: null, direction: null, gusts: null },
      conditions: { code: 42, text: 'unknown (42)' },
      location: { timezone: 'GMT' },
    });
    expect(text).toContain('unknown (42), unknown (feels like unknown)');
  });

  test.each<unknown>([
    {},
    [],
    null,
    'text',
    { current: null },
    { current: {} },
    { current: { time: 12 } },
  ])('refuses the document %j', async (document) => {
    const { tool } = await setUp(({ response }) => sendJson(response, document));
    await expect(callTool(tool, { location: '52,13' }, createTestContext())).rejects.toMatchObject({
      code: 'invalid-response',
    });
  });

  test('takes the clear winner among places of a name and lists the others', async () => {
    const paris = [
      geocoded(1, 'Paris', { country: 'France', population: 2_000_000 }),
      geocoded(2, 'Paris', { admin1: 'Texas', population: 25_000 }),
    ];
    const { tool } = await setUp(openMeteo({ Paris: paris }));
    const { structured, text } = await callTool(tool, { location: 'Paris' }, createTestContext());
    expect(structured).toMatchObject({
      location: { id: 'geo:1' },
      alternatives: [{ id: 'geo:2', name: 'Paris', admin1: 'Texas', country: 'Testland' }],
    });
    expect(text).toContain('Other places of this name: geo:2 (Paris, Texas, Testland).');
  });

  test.each([
    ['Springfield, Illinois', 'geo:2'],
    ['Springfield, MO, US', 'geo:1'],
  ])('needs no elicitation for %s', async (location, id) => {
    const { tool } = await setUp(openMeteo({ Springfield: springfields }));
    const context = createTestContext({ elicit: () => ({ action: 'cancel' }) });
    const { structured } = await callTool(tool, { location }, context);
    expect(structured).toMatchObject({ location: { id } });
    expect(context.inputRequests).toEqual([]);
  });

  test('asks the user to choose among several places and uses the choice', async () => {
    const { tool, upstream } = await setUp(openMeteo({ Springfield: springfields }));
    const context = createTestContext({
      elicit: () => ({ action: 'accept', content: { place: 'geo:2' } }),
    });
    const { structured } = await callTool(tool, { location: 'Springfield' }, context);
    expect(structured).toMatchObject({
      location: { id: 'geo:2', admin1: 'Illinois', latitude: 39.8 },
      alternatives: [{ id: 'geo:1' }],
    });
    const params = context.inputRequests[0]?.params as ElicitParams;
    expect(params).toMatchObject({
      message: 'Which place does "Springfield" mean?',
      requestedSchema: {
        properties: {
          place: {
            oneOf: [
              { const: 'geo:1', title: 'Springfield, Missouri, United States' },
              { const: 'geo:2', title: 'Springfield, Illinois, United States' },
            ],
          },
        },
      },
    });
    expect(upstream.requests.at(-1)?.searchParams.get('latitude')).toBe('39.8');
  });

  test.each([
    [{ action: 'decline' }],
    [{ action: 'cancel' }],
    [{ action: 'decline', content: { place: 'geo:1' } }],
  ] as const)('requests no weather after the answer %j', async (answer) => {
    const { tool, upstream } = await setUp(openMeteo({ Springfield: springfields }));
    const call = callTool(
      tool,
      { location: 'Springfield' },
      createTestContext({ elicit: () => answer }),
    );
    await expect(call).rejects.toMatchObject({ code: 'choice-declined' });
    expect(upstream.requests.map((url) => url.pathname)).toEqual(['/v1/search']);
  });

  test.each([
    [{ action: 'accept' }],
    [{ action: 'accept', content: { place: 'geo:99' } }],
  ] as const)('requests no weather after the invalid answer %j', async (answer) => {
    const { tool, upstream } = await setUp(openMeteo({ Springfield: springfields }));
    const call = callTool(
      tool,
      { location: 'Springfield' },
      createTestContext({ elicit: () => answer }),
    );
    await expect(call).rejects.toThrow('does not fit its form');
    expect(upstream.requests.map((url) => url.pathname)).toEqual(['/v1/search']);
  });

  test('lists the candidates to a client without elicitation', async () => {
    const { tool, upstream } = await setUp(openMeteo({ Springfield: springfields }));
    const call = callTool(tool, { location: 'Springfield' }, createTestContext());
    await expect(call).rejects.toMatchObject({
      code: 'ambiguous-place',
      message: expect.stringContaining(
        'geo:1 (Springfield, Missouri, United States); geo:2 (Springfield, Illinois, United States)',
      ) as unknown,
      meta: {
        'dev.signalbox/error': {
          code: 'ambiguous-place',
          candidates: [
            { id: 'geo:1', name: 'Springfield', admin1: 'Missouri', country: 'United States' },
            { id: 'geo:2', name: 'Springfield', admin1: 'Illinois', country: 'United States' },
          ],
        },
      },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test('finds a candidate by its id without a second geocoder request', async () => {
    const { tool, upstream } = await setUp(openMeteo({ Springfield: springfields }));
    await callTool(tool, { location: 'Springfield' }, createTestContext()).catch(() => undefined);
    const { structured } = await callTool(tool, { location: 'geo:2' }, createTestContext());
    expect(structured).toMatchObject({ location: { admin1: 'Illinois' } });
    expect(upstream.requests.map((url) => url.pathname)).toEqual(['/v1/search', '/v1/forecast']);
  });

  test('requests an unknown id from the geocoder', async () => {
    const { tool, upstream } = await setUp(({ url, response }) =>
      sendJson(response, url.pathname === '/v1/get' ? geocoded(77, 'Kyoto') : currentDocument),
    );
    const { structured } = await callTool(tool, { location: 'geo:77' }, createTestContext());
    expect(structured).toMatchObject({ location: { id: 'geo:77', name: 'Kyoto' } });
    expect(upstream.requests[0]?.search).toContain('id=77');
  });

  test('says so when an id does not exist', async () => {
    const { tool } = await setUp(({ response }) =>
      sendJson(response, { error: true, reason: 'Not Found' }, 404),
    );
    await expect(callTool(tool, { location: 'geo:5' }, createTestContext())).rejects.toMatchObject({
      code: 'unknown-place',
    });
  });

  test('reports that no place has the name, and the places elsewhere', async () => {
    const { tool } = await setUp(openMeteo({ Springfield: springfields }));
    await expect(
      callTool(tool, { location: 'Nowhereville' }, createTestContext()),
    ).rejects.toMatchObject({
      code: 'unknown-place',
      message: expect.stringContaining(
        'No place named "Nowhereville" was found. Check the spelling',
      ) as unknown,
    });
    await expect(
      callTool(tool, { location: 'Springfield, Idaho' }, createTestContext()),
    ).rejects.toMatchObject({
      code: 'unknown-place',
      message: expect.stringContaining('in Idaho was found. Elsewhere there are: geo:1') as unknown,
    });
  });

  test.each(['95,13', 'nan,inf', 'a\u0000b', ' '])(
    'refuses %j before any request',
    async (location) => {
      const { tool, upstream } = await setUp();
      await expect(callTool(tool, { location }, createTestContext())).rejects.toMatchObject({
        code: 'invalid-location',
      });
      expect(upstream.requests).toHaveLength(0);
    },
  );

  test('sends odd names as a query value only', async () => {
    const { tool, upstream } = await setUp();
    await callTool(tool, { location: '../v1/x?name=Berlin&count=1#' }, createTestContext()).catch(
      () => undefined,
    );
    expect(upstream.requests[0]?.pathname).toBe('/v1/search');
    expect(upstream.requests[0]?.searchParams.getAll('name')).toEqual([
      '../v1/x?name=Berlin&count=1#',
    ]);
  });

  test('takes control characters out of names from outside', async () => {
    const { tool } = await setUp(
      openMeteo({ Berlin: [geocoded(1, 'Ber\u001b[31m\u202elin', { admin1: 'A\nB' })] }),
    );
    const { structured } = await callTool(tool, { location: 'Berlin' }, createTestContext());
    expect(structured).toMatchObject({ location: { name: 'Ber[31mlin', admin1: 'AB' } });
  });

  test('prefers populated places to other features of the name', async () => {
    const lake = geocoded(9, 'Berlin', { feature_code: 'LK' });
    const { tool } = await setUp(
      openMeteo({
        Berlin: [
          lake,
          geocoded(1, 'Berlin'),
          { id: 'x' },
          null,
          geocoded(2, 'Berlin', { latitude: 123 }),
        ],
      }),
    );
    const { structured } = await callTool(tool, { location: 'Berlin' }, createTestContext());
    expect(structured).toMatchObject({ location: { id: 'geo:1' } });
    expect(structured).not.toHaveProperty('alternatives');
  });
});

describe('the cache of weather_current', () => {
  test('answers again until the next quarter of an hour, and says so', async () => {
    const clock = { now: Date.parse('2026-11-20T14:05:00Z') };
    const runtime = { now: () => clock.now, random: () => 0.5, pause: async () => undefined };
    const { tool, upstream } = await setUp(openMeteo(), { runtime });
    await callTool(tool, { location: 'Berlin' }, createTestContext());
    clock.now = Date.parse('2026-11-20T14:14:59Z');
    const again = await callTool(tool, { location: 'berlin ' }, createTestContext());
    expect(again.structured).toMatchObject({ cache: { hit: true, ageSeconds: 599, stale: false } });
    expect(upstream.requests).toHaveLength(2);
    clock.now = Date.parse('2026-11-20T14:15:00Z');
    const later = await callTool(tool, { location: 'Berlin' }, createTestContext());
    expect(later.structured).toMatchObject({ cache: { hit: false } });
    expect(upstream.requests).toHaveLength(3);
  });

  test('keeps a name however many places the geocoder finds for the names after it', async () => {
    const places = (first: number) =>
      Array.from({ length: 100 }, (_, index) =>
        geocoded(first + index, 'Town', { latitude: 1, population: index === 0 ? 1e9 : 1 }),
      );
    const { tool, upstream } = await setUp(
      openMeteo(
        Object.fromEntries(
          Array.from({ length: 10 }, (_, index) => [`Town ${index}`, places(index * 100)]),
        ),
      ),
    );
    for (let index = 0; index < 10; index++)
      await callTool(tool, { location: `Town ${index}` }, createTestContext());
    await callTool(tool, { location: 'Town 0' }, createTestContext());
    expect(upstream.requests.filter((url) => url.pathname === '/v1/search')).toHaveLength(10);
  });

  test('ten calls at once make one request of each kind', async () => {
    const { tool, upstream } = await setUp();
    await Promise.all(
      Array.from({ length: 10 }, () => callTool(tool, { location: 'Berlin' }, createTestContext())),
    );
    expect(upstream.requests.map((url) => url.pathname)).toEqual(['/v1/search', '/v1/forecast']);
  });

  test('serves the old value, marked, when the service cannot be reached', async () => {
    const clock = { now: Date.parse('2026-11-20T14:05:00Z') };
    const runtime = { now: () => clock.now, random: () => 0.5, pause: async () => undefined };
    const { tool, upstream } = await setUp(openMeteo(), { runtime });
    await callTool(tool, { location: 'Berlin' }, createTestContext());
    upstream.stop();
    clock.now += 3_600_000;
    const { structured, text } = await callTool(tool, { location: 'Berlin' }, createTestContext());
    expect(structured).toMatchObject({
      temperature: 3.4,
      cache: { hit: true, ageSeconds: 3600, stale: true },
    });
    expect(text).toContain('these values are 60 minutes old');
    await expect(callTool(tool, { location: 'Rom' }, createTestContext())).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('offline') as unknown,
    });
  });
});

describe('cancelling weather_current', () => {
  test('closes the socket', async () => {
    const { tool, upstream } = await setUp(() => undefined);
    const controller = new AbortController();
    const arrived = upstream.nextRequest();
    const cut = upstream.nextCut();
    const call = callTool(
      tool,
      { location: 'Berlin' },
      createTestContext({ signal: controller.signal }),
    );
    await arrived;
    controller.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    await cut;
  });

  test('does not disturb another call that waits for the same answer', async () => {
    const held = Promise.withResolvers<() => void>();
    const { tool, upstream } = await setUp(({ response }) =>
      held.resolve(() => sendJson(response, currentDocument)),
    );
    const controller = new AbortController();
    const cancelled = callTool(
      tool,
      { location: '1,2' },
      createTestContext({ signal: controller.signal }),
    );
    const kept = callTool(tool, { location: '1,2' }, createTestContext());
    const answer = await held.promise;
    controller.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    answer();
    await expect(kept).resolves.toMatchObject({ structured: { temperature: 3.4 } });
    expect(upstream.requests).toHaveLength(1);
  });
});
