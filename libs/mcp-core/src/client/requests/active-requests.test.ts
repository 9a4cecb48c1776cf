import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { metaOf } from '../../era/meta-keys.ts';
import { connectLegacy, done, settling } from '../testing/connected-client.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('limits', () => {
  test('inactivity cancels a request on the server, and the late response is ignored', async () => {
    const { client, server } = await connectLegacy({ ping: () => ({ result: {} }) });
    const settled = settling(client.callTool('a', {}, { timeoutMs: 1000 }));
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(settled.error).toMatchObject({ code: 'request-timeout', sent: true });
    const { id } = server.all('tools/call')[0]!;
    expect(server.all('notifications/cancelled').map(({ params }) => params!.requestId)).toEqual([
      id,
    ]);
    server.deliver({ id, ...done });
    await client.ping();
    expect(settled.value).toBeUndefined();
  });

  test('progress restarts inactivity but not the total', async () => {
    const { client, server } = await connectLegacy();
    const settled = settling(client.callTool('a', {}, { timeoutMs: 1000, maxTotalMs: 2500 }));
    const { params } = await server.receives('tools/call');
    for (const progress of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(800);
      server.notify('notifications/progress', {
        progressToken: metaOf(params).progressToken,
        progress,
      });
    }
    expect(settled).toEqual({});
    await vi.advanceTimersByTimeAsync(100);
    expect(settled.error).toMatchObject({
      code: 'request-timeout',
      message: expect.stringContaining('2500 ms') as string,
    });
  });

  test('the default comes from the client; Infinity disables the limit', async () => {
    const { client } = await connectLegacy({}, { limits: { requestTimeoutMs: 500 } });
    const limited = settling(client.callTool('a', {}));
    const unlimited = settling(client.callTool('a', {}, { timeoutMs: Infinity }));
    await vi.advanceTimersByTimeAsync(100_000);
    expect(limited.error?.code).toBe('request-timeout');
    expect(unlimited).toEqual({});
  });

  test('pause while a request of the server is open', async () => {
    const answer = Promise.withResolvers<{ action: 'decline' }>();
    const { client, server } = await connectLegacy(
      {},
      { handlers: { elicit: () => answer.promise } },
    );
    const settled = settling(client.callTool('a', {}, { timeoutMs: 1000, maxTotalMs: 1500 }));
    await vi.advanceTimersByTimeAsync(800);
    server.deliver({
      id: 'q',
      method: 'elicitation/create',
      params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
    });
    const asked = settling(client.callTool('b', {}, { timeoutMs: 1000 }));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect([settled, asked]).toEqual([{}, {}]);
    answer.resolve({ action: 'decline' });
    expect((await server.answerTo('q')).result).toEqual({ action: 'decline' });
    await vi.advanceTimersByTimeAsync(699);
    expect(settled).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(settled.error?.message).toContain('1500 ms');
    await vi.advanceTimersByTimeAsync(300);
    expect(asked.error?.code).toBe('request-timeout');
  });

  test('resume when the server withdraws its request, whatever the handler does', async () => {
    const { client, server } = await connectLegacy(
      {},
      { handlers: { listRoots: () => new Promise(() => undefined) } },
    );
    const settled = settling(client.callTool('a', {}, { timeoutMs: 1000 }));
    server.deliver({ id: 'q', method: 'roots/list' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(settled).toEqual({});
    server.notify('notifications/cancelled', { requestId: 'q' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(settled.error?.code).toBe('request-timeout');
  });

  test('leave no timer behind', async () => {
    const { client } = await connectLegacy({ 'tools/call': () => done });
    await client.callTool('a', {}, { maxTotalMs: 5000 });
    // The timer is kept for the next request until its time comes, without keeping the process alive.
    await vi.advanceTimersByTimeAsync(5000);
    expect(vi.getTimerCount()).toBe(0);
    await client.callTool('a', {});
    await client.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
