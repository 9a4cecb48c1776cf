import { get as httpGet, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestEdge, type TestEdge } from './testing.ts';

const EVENTS = 400;

let edge: TestEdge;
let url: string;
beforeEach(async () => {
  edge = await createTestEdge();
  await edge.app.listen({ port: 0, host: '127.0.0.1' });
  await edge.app.inject({
    method: 'POST',
    url: '/v1/runs',
    payload: { prompt: 'a' },
    headers: { host: 'localhost' },
  });
  url = `http://127.0.0.1:${(edge.app.server.address() as AddressInfo).port}/v1/runs/run-1/events`;
});
afterEach(async () => edge.close());

interface Reading {
  /** Ids in order of arrival. */
  readonly ids: readonly number[];
  /** Whether the service ended the stream. */
  readonly isOver: boolean;
}

/**
 * Reads events after a given event and disconnects after a number of bytes, possibly within a
 * frame.
 */
async function readUntil(bytes: number, lastEventId: number): Promise<Reading> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(
      url,
      {
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === 0 ? {} : { 'last-event-id': String(lastEventId) }),
        },
      },
      resolve,
    ).on('error', reject);
  });
  let text = '';
  try {
    for await (const chunk of response.setEncoding('latin1')) {
      text += String(chunk);
      if (text.length >= bytes) break;
    }
  } finally {
    response.destroy();
  }
  const isOver = text.length < bytes;
  // A partial frame does not count as received.
  const frames = text.slice(0, bytes).split('\n\n').slice(0, -1);
  return {
    ids: frames.flatMap((frame) =>
      frame.startsWith('id: ') ? [Number.parseInt(frame.slice(4), 10)] : [],
    ),
    isOver,
  };
}

test('clients that disconnect and reconnect repeatedly miss no event and receive no event twice', async () => {
  // The snapshot and one event are about 900 bytes.
  const patience = [1200, 2500, 9000, 40_000];
  const reading = patience.map(async (bytes) => {
    const seen: number[] = [];
    for (let isOver = false; !isOver;) {
      const next = await readUntil(bytes, seen.at(-1) ?? 0);
      seen.push(...next.ids);
      isOver = next.isOver;
    }
    return seen;
  });
  for (let event = 2; event < EVENTS; event += 1)
    await edge.append('run-1', ['tool_call.progress']);
  await edge.append('run-1', ['run.completed'], { status: 'completed' });
  const all = Array.from({ length: EVENTS }, (_, index) => index + 1);
  for (const seen of await Promise.all(reading)) expect(seen).toEqual(all);
  await expect.poll(() => edge.listeners()).toBe(0);
});
