import { connectClient, type Client, type ClientOptions } from '@signalbox/mcp-core/client';
import { createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDemoProvider } from './mock/demo-provider.ts';
import type { WeatherProvider } from './provider.ts';
import { openMeteo, providerOf, springfields } from './testing/open-meteo.ts';
import { sendJson, startUpstream } from './testing/upstream.ts';
import { createWeatherServer } from './create-weather-server.ts';

const eras = ['legacy', 'modern'] as const;

async function connect(
  provider: WeatherProvider,
  options: Partial<ClientOptions> = {},
): Promise<Client> {
  const [left, right] = createInMemoryTransports();
  await createWeatherServer({ provider }).server.connect(left);
  const client = await connectClient(() => right, {
    info: { name: 'test', version: '1' },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

const demo = () => createDemoProvider({ delayMs: 0 });

function textOf(result: { readonly content: readonly { readonly type: string }[] }): string {
  const [block] = result.content;
  return block !== undefined && 'text' in block ? String(block.text) : '';
}

describe.each(eras)('the weather server in the %s era', (era) => {
  test('lists eight small read-only tools', async () => {
    const client = await connect(demo(), { era });
    const tools = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      'air_quality',
      'get_alerts',
      'get_forecast',
      'search_location',
      'weather_compare',
      'weather_current',
      'weather_forecast',
      'weather_history',
    ]);
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      });
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(14_000);
  });

  test('gives results that conform to the output schemas, also when every value is missing', async () => {
    const upstream = await startUpstream(onTestFinished, ({ url, response }) =>
      sendJson(
        response,
        url.searchParams.has('current')
          ? { current: { time: '2026-11-20T14:15' } }
          : { daily: { time: ['2026-11-20'] } },
      ),
    );
    for (const provider of [demo(), providerOf(upstream)]) {
      const client = await connect(provider, { era });
      const results = [
        await client.callTool('weather_current', { location: '1,2' }),
        await client.callTool('weather_forecast', { location: '1,2', days: 16 }),
        await client.callTool('weather_compare', {
          locations: ['1,2', 'geo:999999'],
          metric: 'precipitation',
        }),
      ];
      expect(results.map((result) => result.isError ?? false)).toEqual([false, false, false]);
    }
  });

  test.each([
    ['weather_current', {}],
    ['weather_current', { location: '' }],
    ['weather_current', { location: 'x'.repeat(5000) }],
    ['weather_current', { location: 'Berlin', units: 'martian' }],
    ['weather_current', { location: 'Berlin', base_url: 'http://127.0.0.1:9' }],
    ['weather_forecast', { location: 'Berlin', days: 0 }],
    ['weather_forecast', { location: 'Berlin', days: 17 }],
    ['weather_compare', { locations: ['Berlin'], metric: 'wind' }],
    ['weather_compare', { locations: ['Berlin', 'Oslo'], metric: 'snow' }],
  ])('refuses %s %j without a request', async (name, args) => {
    const upstream = await startUpstream(onTestFinished, openMeteo());
    const client = await connect(providerOf(upstream), { era });
    const result = await client.callTool(name, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`Invalid arguments for ${name}`);
    expect(upstream.requests).toHaveLength(0);
  });

  test('names the unit systems when asked for another', async () => {
    const client = await connect(demo(), { era });
    expect(
      textOf(await client.callTool('weather_current', { location: 'Berlin', units: 'martian' })),
    ).toMatch(/metric.*imperial.*kelvin/);
  });

  test('gives errors with data a program can read', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, { error: true, reason: 'Minutely API request limit exceeded.' }, 429),
    );
    const client = await connect(providerOf(upstream), { era });
    const result = await client.callTool('weather_current', { location: '52,13' });
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'dev.signalbox/error': { code: 'rate-limited', retryAfterSeconds: 60 } },
    });
    expect(textOf(result)).toContain('rate limit');
  });

  test('reports progress before the result', async () => {
    const client = await connect(demo(), { era });
    const seen: number[] = [];
    await client.callTool(
      'weather_compare',
      { locations: ['Berlin', 'Oslo', 'Rome', 'Cairo'], metric: 'wind' },
      { onProgress: (update) => seen.push(update.progress) },
    );
    expect(seen.at(-1)).toBe(4);
    expect(seen).toEqual([...new Set(seen)]);
  });

  test('closes the sockets of a cancelled call', async () => {
    const upstream = await startUpstream(onTestFinished, () => undefined);
    const client = await connect(providerOf(upstream), { era });
    const controller = new AbortController();
    const arrived = upstream.nextRequest();
    const cut = upstream.nextCut();
    const call = client.callTool(
      'weather_compare',
      { locations: ['1,1', '2,2', '3,3'], metric: 'wind' },
      { signal: controller.signal },
    );
    await arrived;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
    await cut;
  });

  test('lists candidates to a client without elicitation', async () => {
    const upstream = await startUpstream(onTestFinished, openMeteo({ Springfield: springfields }));
    const client = await connect(providerOf(upstream), { era });
    const result = await client.callTool('weather_current', { location: 'Springfield' });
    expect(result).toMatchObject({
      isError: true,
      _meta: {
        'dev.signalbox/error': {
          code: 'ambiguous-place',
          candidates: [{ id: 'geo:1' }, { id: 'geo:2' }],
        },
      },
    });
  });
});

test('a legacy client gets an elicitation to choose the place', async () => {
  const upstream = await startUpstream(onTestFinished, openMeteo({ Springfield: springfields }));
  const client = await connect(providerOf(upstream), {
    era: 'legacy',
    handlers: { elicit: async () => ({ action: 'accept', content: { place: 'geo:2' } }) },
  });
  await expect(
    client.callTool('weather_current', { location: 'Springfield' }),
  ).resolves.toMatchObject({
    structuredContent: { location: { id: 'geo:2', admin1: 'Illinois' } },
  });
});

test('the units of the server are used when a call names none', async () => {
  const [left, right] = createInMemoryTransports();
  await createWeatherServer({ provider: demo(), units: 'kelvin' }).server.connect(left);
  const client = await connectClient(() => right, { info: { name: 'test', version: '1' } });
  onTestFinished(() => client.close());
  await expect(client.callTool('weather_current', { location: 'Oslo' })).resolves.toMatchObject({
    structuredContent: { units: { temperature: 'K' } },
  });
});
