import { connectClient } from '@signalbox/mcp-core/client';
import { createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createWeatherServer } from '../create-weather-server.ts';
import { forecastDocument, providerOf } from '../testing/open-meteo.ts';
import { sendJson, startUpstream, type Answer } from '../testing/upstream.ts';

/** Connects a client, which supports tasks. */
async function setUp(era: 'legacy' | 'modern', answer: Answer) {
  const upstream = await startUpstream(onTestFinished, answer);
  const [left, right] = createInMemoryTransports();
  await createWeatherServer({ provider: providerOf(upstream) }).server.connect(left);
  const client = await connectClient(() => right, { info: { name: 'test', version: '1' }, era });
  onTestFinished(() => client.close());
  return { client, upstream };
}

const locations = ['1,1', '2,2', '3,3'];

test.each(['legacy', 'modern'] as const)(
  'a comparison that takes longer than a second becomes a task of a %s client',
  async (era) => {
    const held: (() => void)[] = [];
    let isFree = false;
    const { client } = await setUp(era, ({ response }) => {
      const send = () => sendJson(response, forecastDocument(1));
      if (isFree) send();
      else held.push(send);
    });
    const tasks: string[] = [];
    const result = await client.callTool(
      'weather_compare',
      { locations },
      {
        task: {
          request: {},
          onTask: ({ status }) => {
            tasks.push(status);
            isFree = true;
            for (const send of held.splice(0)) send();
          },
        },
      },
    );
    expect(tasks[0]).toBe('working');
    expect(result).toMatchObject({ structuredContent: { results: { length: 3 } } });
  },
);

test.each(['legacy', 'modern'] as const)(
  'a cancelled task of a %s client closes its sockets',
  async (era) => {
    const { client, upstream } = await setUp(era, () => undefined);
    const controller = new AbortController();
    const arrived = upstream.nextRequest();
    const cut = upstream.nextCut();
    const call = client.callTool(
      'weather_history',
      { location: '1,1', start: '2020-01-01', end: '2021-12-31' },
      {
        signal: controller.signal,
        task: { request: {}, onTask: () => void arrived.then(() => controller.abort()) },
      },
    );
    await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
    await cut;
  },
);
