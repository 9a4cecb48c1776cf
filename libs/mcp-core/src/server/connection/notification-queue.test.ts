import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { JsonRpcBatch, JsonRpcMessage } from '../../jsonrpc/messages.ts';
import { Peer } from '../../jsonrpc/peer.ts';
import { StreamTransport } from '../../jsonrpc/stream-transport.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { NotificationQueue } from './notification-queue.ts';

/** An outbox whose transport takes everything but is not ready for more until `read`. */
function blocked() {
  const sent: { method: string; params: unknown }[] = [];
  const senders: (() => void)[] = [];
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message: JsonRpcMessage | JsonRpcBatch) => {
      sent.push(message as unknown as { method: string; params: unknown });
      return new Promise((resolve) => senders.push(resolve));
    },
    close: () => Promise.resolve(),
  };
  const peer = new Peer(transport, {
    request: () => Promise.resolve(undefined),
    notification: () => undefined,
    ended: () => undefined,
  });
  const read = async (): Promise<void> => {
    for (const resolve of senders.splice(0)) resolve();
    await new Promise(setImmediate);
  };
  return { sent, read, outbox: new NotificationQueue(peer) };
}

test('while the peer reads, the outbox drops nothing however much is sent at once', async () => {
  const output = new PassThrough();
  const peer = new Peer(
    new StreamTransport({ input: new PassThrough(), output, maxLineBytes: 1000 }),
    {
      request: () => undefined,
      notification: () => undefined,
      ended: () => undefined,
    },
  );
  await peer.start();
  const outbox = new NotificationQueue(peer);
  for (let count = 0; count < 500; count += 1)
    outbox.notify('notifications/message', { data: count });
  expect(outbox.isCongested).toBe(false);
  await new Promise(setImmediate);
  expect(String(output.read()).trimEnd().split('\n')).toHaveLength(500);
});

describe('while the peer does not read, the outbox', () => {
  test('drops log messages beyond 256, and nothing else', async () => {
    const { sent, read, outbox } = blocked();
    for (let count = 0; count < 300; count += 1)
      outbox.notify('notifications/message', { data: count });
    outbox.notify('notifications/progress', { progress: 1 });
    expect(
      sent.map(({ method }) => method).filter((method) => method === 'notifications/message'),
    ).toHaveLength(256);
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/progress' });
    await read();
    outbox.notify('notifications/message', { data: 'again' });
    expect(sent.at(-1)).toMatchObject({ params: { data: 'again' } });
  });

  const changes = [
    ['notifications/resources/updated', { uri: 'a' }],
    ['notifications/resources/updated', { uri: 'b' }],
    ['notifications/resources/updated', { _meta: { subscriptionId: 1 }, uri: 'a' }],
    ['notifications/tools/list_changed', {}],
  ] as const;

  test('queues each change once, by resource and subscription, and once more behind it when it happened again', async () => {
    const { sent, read, outbox } = blocked();
    for (let round = 0; round < 3; round += 1)
      for (const [method, params] of changes) outbox.notifyChange(method, params, () => true);
    expect(sent).toHaveLength(changes.length);
    await read();
    expect(sent).toHaveLength(2 * changes.length);
    await read();
    expect(sent).toHaveLength(2 * changes.length);
    outbox.notifyChange(...changes[0], () => true);
    expect(sent).toHaveLength(2 * changes.length + 1);
  });

  test('drops a repeated change without a remaining subscriber', async () => {
    const { sent, read, outbox } = blocked();
    let isWanted = true;
    for (let round = 0; round < 2; round += 1) outbox.notifyChange(...changes[0], () => isWanted);
    isWanted = false;
    await read();
    expect(sent).toHaveLength(1);
  });
});
