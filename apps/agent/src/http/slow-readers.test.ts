import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { openService, type Service } from '../run/testing/service.ts';
import { STALL_MS } from './sse-writer.ts';
import { createServiceEdge } from './testing/service-edge.ts';
import { eraseRun } from '../ports/testing/erase-run.ts';

interface Listening {
  readonly service: Service;
  readonly open: (headers?: Record<string, string>) => Promise<IncomingMessage>;
  /** Appends events of 64 KiB. */
  readonly append: (count: number) => Promise<void>;
  readonly streams: () => Promise<string | undefined>;
}

/** Starts a listening service with a run that only the test writes to. */
async function listening(): Promise<Listening> {
  const service = await openService({ script: () => ({ text: 'done' }) });
  const edge = await createServiceEdge(service);
  await edge.app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => edge.app.close());
  const { port } = edge.app.server.address() as AddressInfo;
  await service.store.write({}, (sql) =>
    sql.insertRun(queuedRun('r1', { status: 'input_required' })),
  );
  onTestFinished(() => eraseRun(service.store, 'r1'));
  return {
    service,
    async open(headers = {}) {
      const [response] = (await once(
        httpGet({
          port,
          path: '/v1/runs/r1/events',
          headers: { accept: 'text/event-stream', ...headers },
        }),
        'response',
      )) as [IncomingMessage];
      response.on('error', () => undefined);
      return response.setEncoding('utf8');
    },
    async append(count) {
      for (let index = 0; index < count; index += 1) {
        const lastSeq = await service.store.write({}, (sql) =>
          sql.append('r1', [{ type: 'tool_call.progress', data: { message: 'x'.repeat(65_536) } }]),
        );
        service.bus.publish({ type: 'events', runId: 'r1', lastSeq });
      }
    },
    streams: async () =>
      /^signalbox_sse_connections (\d+)$/m.exec((await edge.request('GET', '/metrics')).body)?.[1],
  };
}

/** Number of events that exceeds the buffers of both ends of a connection. */
const MORE_THAN_BUFFERS = 400;

/** Returns the rest of the stream as text. */
async function rest(response: IncomingMessage): Promise<string> {
  let text = '';
  response.on('data', (part: string) => (text += part));
  await once(response, 'close');
  return text;
}

function idsOf(text: string): readonly number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
}

test('a silent stream has a heartbeat every 15 seconds', async () => {
  const { service, open } = await listening();
  const response = await open();
  let text = '';
  response.on('data', (part: string) => (text += part));
  await expect.poll(() => text).toContain('event: run.snapshot');
  service.clock.advance(14_999);
  service.clock.advance(1);
  await expect.poll(() => text).toMatch(/\n\n: keep-alive\n\n$/);
  service.clock.advance(15_000);
  await expect.poll(() => text.split(': keep-alive').length).toBe(3);
  response.destroy();
});

test('a stream that begins later has its first heartbeat together with the others', async () => {
  const { service, open, streams } = await listening();
  const first = await open();
  service.clock.advance(10_000);
  const second = await open();
  let text = '';
  second.on('data', (part: string) => (text += part));
  await expect.poll(() => text).toContain('event: run.snapshot');
  service.clock.advance(5000);
  await expect.poll(() => text).toMatch(/\n\n: keep-alive\n\n$/);
  first.destroy();
  await expect.poll(streams).toBe('1');
  service.clock.advance(15_000);
  await expect.poll(() => text.split(': keep-alive').length).toBe(3);
  second.destroy();
  await expect.poll(streams).toBe('0');
});

test('a reader that reads nothing for a minute is disconnected, and misses no event when it reconnects', async () => {
  const { service, open, append, streams } = await listening();
  const stuck = await open();
  let taken = '';
  stuck.on('data', (part: string) => (taken += part));
  await append(3);
  await expect.poll(() => idsOf(taken)).toEqual([1, 2, 3]);
  stuck.pause();
  await append(MORE_THAN_BUFFERS);
  await expect
    .poll(
      async () => {
        service.clock.advance(STALL_MS);
        return streams();
      },
      { timeout: 10_000 },
    )
    .toBe('0');
  await service.store.write({}, (sql) => sql.updateRun('r1', { status: 'completed' }));
  expect(idsOf(await rest(await open({ 'last-event-id': '3' })))).toEqual(
    Array.from({ length: MORE_THAN_BUFFERS }, (_, index) => index + 4),
  );
});

test('a slow reader gets a stream.gap frame and a snapshot for dropped text, and misses no event', async () => {
  const { service, open, append } = await listening();
  const slow = await open();
  slow.pause();
  await append(MORE_THAN_BUFFERS);
  for (let part = 0; part < 300; part += 1)
    service.bus.publish({
      type: 'delta',
      runId: 'r1',
      messageId: 'm1',
      kind: 'text',
      offset: part * 1024,
      text: 'y'.repeat(1024),
    });
  await service.store.write({}, (sql) =>
    sql.savePartial('r1', { messageId: 'm1', text: 'y'.repeat(300 * 1024) }),
  );
  const reading = rest(slow.resume());
  service.bus.publish({
    type: 'delta',
    runId: 'r1',
    messageId: 'm1',
    kind: 'text',
    offset: 300 * 1024,
    text: 'END',
  });
  const lastSeq = await service.store.write({}, async (sql) => {
    await sql.updateRun('r1', { status: 'completed' });
    return sql.append('r1', [{ type: 'run.completed', data: {} }]);
  });
  // A reader that has every event up to `lastSeq` ignores a signal, so the end has an event of its own.
  service.bus.publish({ type: 'events', runId: 'r1', lastSeq });
  const text = await reading;
  const frames = [...text.matchAll(/^event: ([\w.]+)\ndata: (.*)$/gm)].map(([, event, data]) => ({
    event,
    data: JSON.parse(data!) as { partial?: { text: string }; text?: string },
  }));
  expect(frames.filter(({ event }) => event === 'tool_call.progress')).toHaveLength(
    MORE_THAN_BUFFERS,
  );
  const gap = frames.findIndex(({ event }) => event === 'stream.gap');
  expect(frames[gap + 1]).toMatchObject({
    event: 'run.snapshot',
    data: { partial: { message_id: 'm1' } },
  });
  const after = frames.slice(gap + 2).filter(({ event }) => event === 'message.delta');
  expect(
    `${frames[gap + 1]!.data.partial!.text}${after.map(({ data }) => data.text).join('')}`,
  ).toBe(`${'y'.repeat(300 * 1024)}END`);
  expect(text.length).toBeGreaterThan(MORE_THAN_BUFFERS * 65_536);
});
