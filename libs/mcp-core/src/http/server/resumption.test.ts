import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { type EventStore, MemoryEventStore } from './event-store.ts';
import { heldTool, serve, toolOf } from './http-peer.test.support.ts';

const WAIT = { timeout: 5000 };

/** A tool that logs and ends on demand. */
function scripted() {
  const lines = new EventTarget();
  const tool = toolOf('scripted', async (_args, context) => {
    const ended = Promise.withResolvers<undefined>();
    lines.addEventListener('line', (event) => {
      context.log('info', (event as CustomEvent<string>).detail);
    });
    lines.addEventListener('close', () => {
      context.closeStream();
    });
    lines.addEventListener('end', () => {
      ended.resolve(undefined);
    });
    context.log('info', 'started');
    await ended.promise;
    return { content: [{ type: 'text', text: 'done' }] };
  });
  return {
    tool,
    line: (text: string) => lines.dispatchEvent(new CustomEvent('line', { detail: text })),
    close: () => lines.dispatchEvent(new Event('close')),
    end: () => lines.dispatchEvent(new Event('end')),
  };
}

const logged = (text: string) => (message: JsonObject) =>
  message.method === 'notifications/message' && (message.params as { data: unknown }).data === text;

describe('a stream of a session', () => {
  test('begins with an event that has an id, no data and the retry delay; ids are unique and name the stream', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] }, { sessions: { retryMs: 123 } });
    const session = await peer.initialize();
    const standalone = await session.get();
    const [first, second] = [await session.call(1, 'scripted'), await session.call(2, 'scripted')];
    await Promise.all([first, second].map((response) => response.find(logged('started'))));
    script.end();
    await Promise.all([first.ended, second.ended]);
    for (const response of [standalone, first, second])
      expect(response.events()[0]).toMatchObject({
        data: '',
        retry: '123',
        id: expect.any(String) as unknown,
      });
    const ids = [standalone, first, second].map((response) =>
      response.events().map(({ id = '' }) => id),
    );
    expect(new Set(ids.flat()).size).toBe(ids.flat().length);
    const streams = ids.map((own) => new Set(own.map((id) => id.split('-')[0])));
    expect(streams.map(({ size }) => size)).toEqual([1, 1, 1]);
    expect(new Set(streams.flatMap((own) => [...own])).size).toBe(3);
  });

  test('that is not stored has no ids and stays open until its response; resuming it is refused', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] }, { sessions: { eventStore: false } });
    const session = await peer.initialize();
    const response = await session.call(1, 'scripted');
    await response.find(logged('started'));
    script.close();
    script.line('after close');
    script.end();
    await response.ended;
    expect(
      response.events().map(({ id, data }) => [id, (JSON.parse(data) as JsonObject).method]),
    ).toEqual([
      [undefined, 'notifications/message'],
      [undefined, 'notifications/message'],
      [undefined, undefined],
    ]);
    const refused = await session.get('1-1');
    await refused.ended;
    expect(refused.status).toBe(400);
    const standalone = await session.get();
    expect(standalone.status).toBe(200);
  });

  test('of a revision without priming events has none, but ids', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] });
    const session = await peer.initialize('2025-06-18');
    const response = await session.call(1, 'scripted');
    await response.find(logged('started'));
    script.end();
    await response.ended;
    expect(response.events().map(({ data }) => data)).not.toContain('');
    expect(response.events().every(({ id }) => id !== undefined)).toBe(true);
  });

  test('that the handler closes is resumed by its last event id, with later events and the response', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] });
    const session = await peer.initialize();
    const response = await session.call(1, 'scripted');
    await response.find(logged('started'));
    script.close();
    await expect(response.ended).resolves.toBeTypeOf('string');
    script.line('meanwhile');
    const resumed = await session.get(response.events().at(-1)?.id);
    await resumed.find(logged('meanwhile'));
    script.line('live');
    script.end();
    await expect(resumed.ended).resolves.toBeTypeOf('string');
    expect(resumed.messages()).toMatchObject([
      { params: { data: 'meanwhile' } },
      { params: { data: 'live' } },
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);
  });

  test('that is closed before its first message begins with its first event nevertheless', async () => {
    const release = Promise.withResolvers<undefined>();
    const tool = toolOf('reconnect', async (_args, context) => {
      context.closeStream();
      await release.promise;
      return { content: [] };
    });
    const peer = await serve({ tools: [tool] });
    const session = await peer.initialize();
    const response = await session.call(1, 'reconnect');
    await expect(response.ended).resolves.toBeTypeOf('string');
    expect(response.events()).toMatchObject([{ data: '', retry: '1000' }]);
    const resumed = await session.get(response.events()[0]?.id);
    release.resolve(undefined);
    await resumed.ended;
    expect(resumed.messages()).toMatchObject([{ id: 1, result: {} }]);
  });

  test('stays open for a client that would not resume', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] });
    const session = await peer.initialize('2025-06-18');
    const response = await session.call(1, 'scripted');
    await response.find(logged('started'));
    script.close();
    script.end();
    await response.ended;
    expect(response.messages().at(-1)).toMatchObject({ id: 1, result: {} });
  });

  test('that broke delivers its response to a client that resumes, even after it has ended', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] });
    const session = await peer.initialize();
    const response = await session.call(1, 'scripted');
    await response.find(logged('started'));
    const last = response.events().at(-1)?.id;
    response.destroy();
    await response.ended;
    script.line('unseen');
    script.end();
    await vi.waitFor(async () => {
      const resumed = await session.get(last);
      await resumed.ended;
      expect(resumed.messages()).toMatchObject([
        { params: { data: 'unseen' } },
        { id: 1, result: {} },
      ]);
    }, WAIT);
  });

  test('is replayed without the events of other streams', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] });
    const session = await peer.initialize();
    const [first, second] = [await session.call(1, 'scripted'), await session.call(2, 'scripted')];
    await Promise.all([first, second].map((response) => response.find(logged('started'))));
    script.end();
    await Promise.all([first.ended, second.ended]);
    const resumed = await session.get(first.events()[0]?.id);
    await resumed.ended;
    expect(resumed.messages()).toMatchObject([{ params: { data: 'started' } }, { id: 1 }]);
  });

  test('that was read to its end gets 204, which stops clients from reconnecting', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] });
    const session = await peer.initialize();
    const response = await session.call(1, 'scripted');
    await response.find(logged('started'));
    script.end();
    await response.ended;
    expect((await session.get(response.events().at(-1)?.id)).status).toBe(204);
  });

  test.each(['nonsense', '99-1', '-1-1', '0'])(
    'is not resumed by the id %s, which is none of the session',
    async (id) => {
      const peer = await serve();
      const session = await peer.initialize();
      expect((await session.get(id)).status).toBe(400);
    },
  );

  test('is not resumed in another session', async () => {
    const script = scripted();
    const peer = await serve({ tools: [script.tool] });
    const [mine, other] = [await peer.initialize(), await peer.initialize()];
    const response = await mine.call(1, 'scripted');
    await response.find(logged('started'));
    expect((await other.get(response.events()[0]?.id)).status).toBe(400);
    script.end();
  });

  test('without a request is resumed with lost and waiting messages', async () => {
    const peer = await serve({ tools: [heldTool().tool] });
    const session = await peer.initialize();
    const first = await session.get();
    peer.server.log('error', 'one');
    peer.server.log('error', 'two');
    await first.find(logged('two'));
    const [priming] = first.events();
    first.destroy();
    await first.ended;
    await vi.waitFor(async () => {
      peer.server.log('error', 'three');
      const resumed = await session.get(priming?.id);
      await resumed.find(logged('three'));
      expect(
        resumed
          .messages()
          .map(({ params }) => (params as { data: unknown }).data)
          .slice(0, 3),
      ).toEqual(['one', 'two', 'three']);
      resumed.destroy();
    }, WAIT);
  });

  test('is resumed from an asynchronous store, each event once and in order', async () => {
    const memory = new MemoryEventStore();
    const slow: EventStore = {
      append: async (address, event) => {
        await Promise.resolve();
        memory.append(address, event);
      },
      after: async function* (address, sequence) {
        for (const event of memory.after(address, sequence)) {
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          yield event;
        }
      },
      forget: (sessionId) => {
        memory.forget(sessionId);
      },
    };
    const script = scripted();
    const peer = await serve({ tools: [script.tool] }, { sessions: { eventStore: slow } });
    const session = await peer.initialize();
    const response = await session.call(1, 'scripted');
    await response.find(logged('started'));
    script.close();
    await response.ended;
    const lines = Array.from({ length: 20 }, (_, index) => `line ${String(index)}`);
    for (const line of lines.slice(0, 10)) script.line(line);
    const resumed = await session.get(response.events().at(-1)?.id);
    for (const line of lines.slice(10)) script.line(line);
    script.end();
    await resumed.ended;
    expect(
      resumed
        .messages()
        .slice(0, -1)
        .map(({ params }) => (params as { data: unknown }).data),
    ).toEqual(lines);
    expect(resumed.messages().at(-1)).toMatchObject({ id: 1 });
  });

  test.each([
    [
      'at once',
      (message: string) => {
        throw new Error(message);
      },
    ],
    ['later', (message: string) => Promise.reject(new Error(message))],
  ])(
    'whose store fails %s is delivered but not resumed, and the failure is reported',
    async (_title, fail) => {
      const onError = vi.fn<(error: unknown) => void>();
      const failing: EventStore = {
        append: () => fail('full'),
        after: () => {
          throw new Error('gone');
        },
        forget: () => fail('stuck'),
      };
      const script = scripted();
      const peer = await serve(
        { tools: [script.tool] },
        { sessions: { eventStore: failing }, onError },
      );
      const session = await peer.initialize();
      const response = await session.call(1, 'scripted');
      await response.find(logged('started'));
      const resumed = await session.get(response.events()[0]?.id);
      await expect(resumed.ended).resolves.toBeUndefined();
      script.end();
      await session.delete();
      await vi.waitFor(() => {
        expect(new Set(onError.mock.calls.map(([error]) => (error as Error).message))).toEqual(
          new Set(['full', 'gone', 'stuck']),
        );
      }, WAIT);
    },
  );
});
