import { spawnSync } from 'node:child_process';
import { sendJson } from '@signalbox/server-weather/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { eras, type Json } from '../stdio-peer.test.support.ts';
import { newPlace, normal, program, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();

interface Tool {
  readonly name: string;
  readonly annotations: Json;
  readonly outputSchema: object;
}

const TOOLS = [
  'air_quality',
  'get_alerts',
  'get_forecast',
  'search_location',
  'weather_compare',
  'weather_current',
  'weather_forecast',
  'weather_history',
];

describe.each(eras)('a %s client', (era) => {
  const call = async (tool: string, args: Json) => (await fixture.peer(era)).call(tool, args);
  const listTools = async () => {
    const { result } = await (await fixture.peer(era)).request('tools/list');
    return result?.['tools'] as readonly Tool[];
  };

  test('WX-01 lists eight annotated tools in 14,000 bytes', async () => {
    const tools = await listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { annotations } of tools)
      expect(annotations).toMatchObject({
        readOnlyHint: true,
        openWorldHint: true,
        idempotentHint: true,
        destructiveHint: false,
      });
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(14_000);
  });

  test('WX-04 gets the units that it asks for', async () => {
    const location = newPlace();
    expect(
      (await call('weather_current', { location, units: 'imperial' })).structured,
    ).toMatchObject({
      temperature: 38.1,
      units: { temperature: '°F', windSpeed: 'mph' },
    });
    expect((await call('weather_current', { location, units: 'kelvin' })).structured).toMatchObject(
      {
        temperature: 276.55,
        wind: { speed: 3.94 },
        units: { temperature: 'K', windSpeed: 'm/s' },
      },
    );
    const martian = await call('weather_current', { location, units: 'martian' });
    expect([martian.isError, martian.text]).toEqual([
      true,
      expect.stringMatching(/metric.*imperial.*kelvin/),
    ]);
  });

  test('WX-11 cannot inject a path or a query', async () => {
    for (const state of ['..', 'C%', '&a', 'ZZ'])
      expect((await call('get_alerts', { state })).isError).toBe(true);
    expect(fixture.requests()).toEqual([]);
    await call('weather_current', { location: 'Ber&latitude=1#lin/../x' });
    const [search] = fixture.requests();
    expect([
      search?.pathname,
      search?.searchParams.get('name'),
      search?.searchParams.get('latitude'),
    ]).toEqual(['/v1/search', 'Ber&latitude=1#lin/../x', null]);
  });

  test('WX-23 gets null for missing values, and the number of an unknown code', async () => {
    fixture.answer = ({ response }) =>
      sendJson(response, {
        utc_offset_seconds: 0,
        current: { time: '2026-11-20T14:15', temperature_2m: null, weather_code: 42 },
      });
    const { structured, isError } = await call('weather_current', { location: newPlace() });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      temperature: null,
      wind: { speed: null },
      conditions: { code: 42, text: 'unknown (42)' },
    });
  });

  test('WX-24 every structured result fits the output schema of its tool', async () => {
    const ajv = new Ajv2020({ strict: false });
    const calls: readonly (readonly [string, Json])[] = [
      ['weather_current', { location: 'Berlin' }],
      ['weather_forecast', { location: 'Berlin', days: 3, hourly: true }],
      ['weather_history', { location: 'Berlin', start: '2023-01-01', end: '2024-12-31' }],
      ['weather_compare', { locations: ['Berlin', 'Nowhereville'] }],
      ['weather_compare', { location: 'Berlin', years: [2020, 2021] }],
      ['air_quality', { location: 'Berlin' }],
      ['search_location', { query: 'Ber' }],
      ['get_alerts', { state: 'CA' }],
      ['get_forecast', { latitude: 37.2, longitude: -93.3 }],
    ];
    const schemas = new Map((await listTools()).map((tool) => [tool.name, tool.outputSchema]));
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(TOOLS));
    for (const [name, args] of calls) {
      const { structured, isError } = await call(name, args);
      const schema = schemas.get(name) ?? {};
      const isValid = ajv.validate(schema, structured);
      expect([name, isError, isValid, ajv.errorsText()]).toEqual([name, false, true, 'No errors']);
      expect(schema).toMatchObject({ type: 'object' });
    }
  });

  test('WX-25 past weather needs dates that exist, in order and in the archive', async () => {
    for (const [start, end] of [
      ['2026-02-02', '2026-02-01'],
      ['1939-12-31', '1940-01-02'],
      ['2999-01-01', '2999-01-02'],
      ['2020-02-30', '2020-03-01'],
    ])
      expect((await call('weather_history', { location: 'Berlin', start, end })).isError).toBe(
        true,
      );
    expect(fixture.requests()).toEqual([]);
    const { structured } = await call('weather_history', {
      location: 'Berlin',
      start: '2024-02-28',
      end: '2024-03-01',
    });
    expect(structured).toMatchObject({
      daily: [{ date: '2024-02-28' }, { date: '2024-02-29' }, { date: '2024-03-01' }],
      summary: { days: 3 },
    });
  });

  test('WX-28 compares years', async () => {
    const { structured } = await call('weather_compare', {
      location: 'Berlin',
      years: [2020, 2021, 2022],
      month: 7,
    });
    const number = expect.any(Number) as number;
    expect(structured['results']).toMatchObject(
      [2020, 2021, 2022].map((year) => ({
        year,
        ok: true,
        mean: number,
        min: number,
        max: number,
        samples: 31,
      })),
    );
  });

  test('WX-32 gets alerts of a state or place, with texts as data', async () => {
    fixture.answer = (exchange) =>
      exchange.url.searchParams.get('area') === 'NV'
        ? sendJson(exchange.response, {
            features: [
              {
                properties: {
                  event: 'Wind\u0007 \u202eAdvisory',
                  description: 'Ignore\u0000 this.',
                },
              },
            ],
          })
        : normal(exchange);
    const upper = await call('get_alerts', { state: 'CA' });
    const lower = await call('get_alerts', { state: 'ca' });
    expect(upper.structured['alerts']).toMatchObject([
      { description: 'No description available.' },
    ]);
    expect(lower.structured['alerts']).toEqual(upper.structured['alerts']);
    const unknown = await call('get_alerts', { state: 'ZZ' });
    expect([unknown.isError, unknown.text]).toEqual([
      true,
      expect.stringContaining('unknown area'),
    ]);
    await call('get_alerts', { location: '37.2,-93.2' });
    expect(fixture.requests().at(-1)?.searchParams.get('point')).toBe('37.2,-93.2');
    expect((await call('get_alerts', { state: 'NV' })).structured['alerts']).toMatchObject([
      { event: 'Wind Advisory', description: 'Ignore this.' },
    ]);
  });

  test('WX-33 gets a forecast in words after an expired grid, and outside the coverage', async () => {
    let isExpired = true;
    fixture.answer = (exchange) => {
      const isGrid = exchange.url.pathname.startsWith('/gridpoints/');
      if (!isGrid || !isExpired) return normal(exchange);
      isExpired = false;
      return sendJson(exchange.response, { title: 'Forecast Grid Expired' }, 503);
    };
    const inside = era === 'legacy' ? [37.21, -93.29] : [38.21, -93.29];
    const outside = await call('get_forecast', { latitude: 52, longitude: 13 });
    expect(outside.structured).toMatchObject({ provider: 'open-meteo' });
    const [latitude, longitude] = inside;
    const { structured } = await call('get_forecast', { latitude, longitude });
    expect([isExpired, structured['provider']]).toEqual([false, 'nws']);
    await call('get_forecast', { latitude: 37.123_456, longitude: -93.123_456 });
    const points = fixture.requests().filter(({ pathname }) => pathname.startsWith('/points/'));
    expect(points.at(-1)?.pathname).toBe('/points/37.1235,-93.1235');
  });

  test('WX-35 every request names the program, and every result its source', async () => {
    const env = { WEATHER_CONTACT: 'me@example.org' };
    const peer = await fixture.start(era, [], { env });
    const before = fixture.upstream().userAgents.length;
    const { structured } = await peer.call('weather_current', { location: 'Berlin' });
    const alerts = await peer.call('get_alerts', { state: 'CA' });
    expect(structured['attribution']).toContain('Open-Meteo');
    expect(alerts.structured['attribution']).toContain('National Weather Service');
    const agents = fixture.upstream().userAgents.slice(before);
    expect(agents).toHaveLength(3);
    for (const agent of agents)
      expect(agent).toMatch(/^signalbox-weather\/\d+\.\d+\.\d+ \(me@example\.org\)$/);
  });

  test('WX-37 has no argument for a URL', async () => {
    const { isError } = await call('weather_current', {
      location: 'Berlin',
      base_url: 'http://127.0.0.1:9',
    });
    expect(isError).toBe(true);
    expect(fixture.requests()).toEqual([]);
  });

  test('WX-38 gets the air quality with units and categories', async () => {
    const { structured } = await call('air_quality', { location: 'Berlin' });
    const level = { value: expect.any(Number) as number, unit: 'μg/m³' };
    expect(structured).toMatchObject({
      european_aqi: expect.any(Number) as number,
      us_aqi: expect.any(Number) as number,
      category: { european: expect.any(String) as string, us: expect.any(String) as string },
      pollutants: { pm2_5: level, pm10: level },
    });
  });

  test('gets a chart of the past as an image', async () => {
    const { result } = await call('weather_history', {
      location: 'Berlin',
      start: '2020-01-01',
      end: '2020-12-31',
      chart: true,
    });
    const content = result?.['content'] as readonly { readonly data?: string }[];
    expect(content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/svg+xml' }]);
    expect(Buffer.from(content[1]?.data ?? '', 'base64').toString()).toContain(
      'temperatureMax (°C)',
    );
  });
});

test('WX-37 the server exits and names the variable of a URL that is not http', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    input: '',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], WEATHER_OPEN_METEO_URL: 'file:///etc/passwd' },
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('WEATHER_OPEN_METEO_URL');
  expect(stderr).not.toContain('passwd');
});
