import { mockServices, sendJson, startUpstream } from '@signalbox/server-weather/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectWeatherHosts, type WeatherHost } from './official-hosts.ts';

describe.each(connectWeatherHosts)('a host on the %s', (_name, connect) => {
  let host: WeatherHost;
  let stop = () => undefined as void;
  let description = 'first';
  const updates: string[] = [];
  const reported: number[] = [];

  beforeAll(async () => {
    const normal = mockServices();
    const upstream = await startUpstream(
      (end) => (stop = end),
      (exchange) =>
        exchange.url.pathname === '/alerts/active'
          ? sendJson(exchange.response, { features: [{ properties: { description } }] })
          : normal(exchange),
    );
    host = await connect({
      args: [],
      env: {
        WEATHER_POLL_MS: '100',
        ...Object.fromEntries(
          ['OPEN_METEO', 'GEOCODING', 'ARCHIVE', 'AIR_QUALITY', 'NWS'].map((service) => [
            `WEATHER_${service}_URL`,
            upstream.url.href,
          ]),
        ),
      },
      onUpdated: (uri) => updates.push(uri),
      onProgress: (progress) => reported.push(progress),
      choose: (form) =>
        /"const":"(geo:\d+)","title":"Springfield, Illinois/.exec(JSON.stringify(form))?.[1] ?? '',
    });
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    stop();
  });

  test('lists the tools and calls one', async () => {
    expect((await host.listTools()).map(({ name }) => name)).toHaveLength(8);
    expect(await host.callTool('weather_current', { location: 'Berlin' })).toMatchObject({
      structuredContent: { location: { name: 'Berlin' }, source: 'open-meteo' },
    });
    expect(await host.callTool('get_forecast', { latitude: 37.2, longitude: -93.3 })).toMatchObject(
      {
        structuredContent: { provider: 'nws' },
      },
    );
  });

  test('lets its user choose an ambiguous place', async () => {
    expect(await host.callTool('weather_current', { location: 'Springfield' })).toMatchObject({
      structuredContent: { location: { admin1: 'Illinois' } },
    });
  });

  test('receives progress and a chart of the past', async () => {
    const { content } = await host.callTool('weather_history', {
      location: 'Berlin',
      start: '2019-01-01',
      end: '2022-12-31',
      chart: true,
    });
    expect(content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/svg+xml' }]);
    // The SDKs may drop an update that arrives together with the result.
    expect(reported[0]).toBe(1);
  });

  test('reads resources, completes a city and gets the prompt', async () => {
    expect(await host.listResources()).toEqual(['weather://reference/wmo-codes']);
    expect(JSON.parse(await host.readText('weather://Berlin/forecast'))).toMatchObject({
      daily: { length: 7 },
    });
    expect(await host.completeCity('Ber')).toEqual(['Berlin']);
    expect(JSON.stringify(await host.getPrompt('plan_day', { location: 'Berlin' }))).toContain(
      'weather_forecast',
    );
  });

  test('is notified of a new alert', async () => {
    const uri = 'weather://CA/alerts';
    await host.watch([uri]);
    expect(updates).toEqual([]);
    description = `second ${Math.random()}`;
    await expect.poll(() => updates, { timeout: 10_000 }).toEqual([uri]);
  });
});
