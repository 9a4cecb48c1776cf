import { describe, expect, test } from 'vitest';
import { createInMemoryTransports } from './in-memory-transport.ts';

function listener() {
  const heard: unknown[] = [];
  return {
    heard,
    receiver: {
      message: (value: unknown) => heard.push(value),
      unreadable: () => undefined,
      closed: () => heard.push('closed'),
    },
  };
}

describe('in-memory transports', () => {
  test('deliver copies in order, including messages sent before the start', async () => {
    const [near, far] = createInMemoryTransports();
    const { heard, receiver } = listener();
    const params = { list: [1] };
    await near.send({ jsonrpc: '2.0', method: 'first', params });
    params.list.push(2);
    await far.start(receiver);
    await near.send({ jsonrpc: '2.0', method: 'second' });
    expect(heard).toEqual([
      { jsonrpc: '2.0', method: 'first', params: { list: [1] } },
      { jsonrpc: '2.0', method: 'second' },
    ]);
  });

  test('report a close to both ends, once, even before delivery has begun', async () => {
    const [near, far] = createInMemoryTransports();
    const [nearEnd, farEnd] = [listener(), listener()];
    await near.start(nearEnd.receiver);
    const starting = far.start(farEnd.receiver);
    await Promise.all([far.close(), near.close(), starting]);
    await new Promise(setImmediate);
    expect([nearEnd.heard, farEnd.heard]).toEqual([['closed'], ['closed']]);
    await expect(near.send({ jsonrpc: '2.0', method: 'late' })).rejects.toThrow(
      'The connection is closed',
    );
  });
});
