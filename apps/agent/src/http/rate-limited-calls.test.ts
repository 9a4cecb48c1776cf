import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY } from '../run/testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../run/testing/service.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';

const MINUTE_MS = 60_000;

const options: ServiceOptions = {
  script: callsThenAnswer([[{ name: 'a__read' }]]),
  tools: {
    a__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) },
    b__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) },
  },
  callsPerMinute: (server) => (server === 'a' ? 1 : undefined),
};

interface Fixture {
  readonly worker: Service;
  /** The REST API of another process, which makes no calls. */
  readonly api: ServiceEdge;
  /** A run whose call was sent, and two whose calls wait. */
  readonly ids: readonly [string, string, string];
}

async function open(): Promise<Fixture> {
  const worker = await openService(options);
  const other = await openService({ ...options, beside: worker, isStarted: false });
  const start = async (): Promise<string> => {
    const { id } = await worker.engine.createRun({ prompt: 'go' });
    await worker.until(async () =>
      (await worker.types(id)).find(
        (type) => type === 'tool_call.dispatched' || type === 'tool_call.waiting',
      ),
    );
    return id;
  };
  const first = await start();
  await worker.settled(first);
  worker.clock.advance(10_000);
  const ids = [first, await start(), await start()] as const;
  return { worker, api: await createServiceEdge(other), ids };
}

test('a call that waits for the rate of its server shows it in every process until it is sent', async () => {
  const { worker, api, ids } = await open();
  const [sent, waiting] = ids;
  const get = async (url: string): Promise<unknown> => (await api.request('GET', url)).json();
  const now = worker.clock.now();
  const { id: callId } = await worker.call(waiting);
  const shown = {
    state: 'planned',
    attempt: 0,
    waiting: {
      reason: 'rate_limited',
      message: `The server a has reached its limit of calls a minute (callsPerMinute); the call waits for its turn, which is expected at ${new Date(now + 50_000).toISOString()}.`,
      since: new Date(now).toISOString(),
    },
  };
  expect(await get(`/v1/runs/${waiting}/tool-calls`)).toMatchObject({ data: [shown] });
  expect(await get(`/v1/runs/${waiting}/tool-calls/${callId}`)).toMatchObject(shown);
  expect(await get(`/v1/runs/${sent}/tool-calls`)).not.toHaveProperty('data.0.waiting');
  worker.clock.advance(MINUTE_MS);
  await worker.settled(waiting);
  expect(await get(`/v1/runs/${waiting}/tool-calls`)).not.toHaveProperty('data.0.waiting');
});

test('a server shows in every process how many calls wait for its rate, and until when', async () => {
  const { worker, api, ids } = await open();
  const get = async (url: string): Promise<unknown> => (await api.request('GET', url)).json();
  const shown = {
    name: 'a',
    rate_limited: { calls: 2, next_at: new Date(worker.clock.now() + 50_000).toISOString() },
  };
  expect(await get('/v1/servers/a')).toMatchObject(shown);
  expect(await get('/v1/servers')).toMatchObject({ data: [shown, { name: 'b' }] });
  expect(await get('/v1/servers')).not.toHaveProperty('data.1.rate_limited');
  for (const id of ids) await worker.engine.cancelRun(id).catch(() => undefined);
  for (const id of ids) await worker.settled(id);
  expect(await get('/v1/servers/a')).not.toHaveProperty('rate_limited');
});
