import { mockServices, sendJson, startUpstream } from '@signalbox/server-weather/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiClient, framesOf } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { serverBin, startService, temporaryFolder, type Service } from './support/service.ts';

describe.each(['legacy', 'modern'] as const)(
  'the weather server in the %s era, through the service',
  (era) => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let service: Service;
    let api: ApiClient;
    let stop = () => undefined as void;
    let description = 'first';

    beforeAll(async () => {
      const normal = mockServices();
      const upstream = await startUpstream(
        (end) => (stop = end),
        (exchange) =>
          exchange.url.pathname === '/alerts/active'
            ? sendJson(exchange.response, { features: [{ properties: { description } }] })
            : normal(exchange),
      );
      folder = await temporaryFolder();
      const scenario = await writeScenario(folder.path, [
        {
          prompt: 'springfield',
          steps: [
            [
              {
                tool: 'weather__weather_current',
                input: { location: 'Springfield' },
                label: 'now',
              },
            ],
          ],
          answer: 'It said: ${result.now.text}',
        },
        {
          prompt: 'history',
          steps: [
            [
              {
                tool: 'weather__weather_history',
                input: { location: 'Berlin', start: '2015-01-01', end: '2020-12-31' },
                label: 'past',
              },
            ],
          ],
          answer: 'It said: ${result.past.text}',
        },
      ]);
      service = await startService({
        folder: folder.path,
        config: {
          llm: { provider: 'scripted', scenario },
          mcpServers: {
            weather: {
              command: 'node',
              args: [serverBin.weather],
              env: {
                WEATHER_POLL_MS: '100',
                ...Object.fromEntries(
                  ['OPEN_METEO', 'GEOCODING', 'ARCHIVE', 'AIR_QUALITY', 'NWS'].map((name) => [
                    `WEATHER_${name}_URL`,
                    upstream.url.href,
                  ]),
                ),
              },
              signalbox: { approval: 'auto', era },
            },
          },
        },
      });
      api = new ApiClient(service.url);
      await vi.waitFor(async () => {
        const { state } = (await api.get('/v1/servers/weather')) as { readonly state: string };
        if (state !== 'ready') throw new Error(`The server is ${state}`);
      });
    });
    afterAll(async () => {
      await service.stop();
      await folder.remove();
      stop();
    });

    test('shows its features, reads resources and completes cities', async () => {
      expect(await api.get('/v1/servers/weather')).toMatchObject({
        era,
        server_info: { name: 'signalbox-weather' },
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
      });
      expect(
        await api.get(
          `/v1/servers/weather/resources/read?uri=${encodeURIComponent('weather://Berlin/current')}`,
        ),
      ).toMatchObject({ data: [{ text: expect.stringContaining('"name":"Berlin"') as string }] });
      expect(
        await api.post('/v1/servers/weather/completions', {
          of: { uri_template: 'weather://{city}/current' },
          argument: { name: 'city', value: 'Ber' },
        }),
      ).toMatchObject({ values: ['Berlin'] });
      expect(
        JSON.stringify(
          await api.post('/v1/servers/weather/prompts/plan_day', {
            arguments: { location: 'Berlin' },
          }),
        ),
      ).toContain('weather_forecast');
    });

    test('a person chooses an ambiguous place in the inbox', async () => {
      const { id } = await api.start('springfield');
      await api.waitFor(id, (event) => event.type === 'inbox.opened');
      const { inbox } = await api.run(id);
      expect(inbox).toMatchObject([{ kind: 'elicitation_form' }]);
      const [item] = inbox;
      const place = /"const":"(geo:\d+)","title":"Springfield, Illinois/.exec(
        JSON.stringify(item?.request),
      )?.[1];
      await api.post(`/v1/inbox/${item!.id}/respond`, { action: 'accept', content: { place } });
      expect((await api.settled(id)).answer).toContain('Springfield, Illinois');
    });

    test('reports the progress of a long job', async () => {
      const { id } = await api.start('history');
      expect((await api.settled(id)).answer).toContain('2015-01-01 to 2020-12-31');
      const types = (await api.events(id)).map((event) => event.type);
      expect(types.some((type) => type.includes('progress'))).toBe(true);
    });

    test('reports the change of an alert', async () => {
      const leaving = new AbortController();
      const response = await fetch(
        `${service.url}/v1/servers/weather/changes?uri=${encodeURIComponent('weather://CA/alerts')}`,
        { headers: { accept: 'text/event-stream' }, signal: leaving.signal },
      );
      const seen: string[] = [];
      for await (const frame of framesOf(response.body!)) {
        const [, event = '', data = '{}'] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
        if (event === 'subscribed') description = `second ${era}`;
        if (event !== 'resource.updated') continue;
        seen.push(data);
        break;
      }
      leaving.abort();
      expect(seen.map((data) => JSON.parse(data) as unknown)).toEqual([
        { type: 'resource.updated', uri: 'weather://CA/alerts' },
      ]);
    });
  },
);
