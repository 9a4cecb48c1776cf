import { expect, it } from 'vitest';
import { Peer } from '../../jsonrpc/peer.ts';
import { httpTransport } from './http-transport.ts';
import {
  answerJson,
  type Arrival,
  beginEvents,
  handshake,
  openTransport,
  playHandshake,
  scriptedServer,
  until,
} from './scripted-http-server.test.support.ts';

const ping = (id: number): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`;
const pings = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => ping(from + index)).join('');
const isAnswer = ({ method, body }: Arrival): boolean =>
  method === 'POST' && body?.method === undefined;

it('responses are posted sixteen at a time, in order', async () => {
  const held: Arrival[] = [];
  const server = await scriptedServer(
    (arrival) => void (isAnswer(arrival) ? held.push(arrival) : playHandshake(arrival)),
  );
  const opened = await openTransport({ url: server.url });
  await handshake(opened);
  const sent = Promise.all(
    Array.from({ length: 40 }, async (_, id) =>
      opened.transport.send({ jsonrpc: '2.0', id, result: {} }),
    ),
  );
  const accepted: unknown[] = [];
  for (const expected of [16, 16, 8]) {
    await until(() => held.length === expected);
    // The end of a later POST would show that more than sixteen run.
    await opened.transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect(held).toHaveLength(expected);
    for (const { body, response } of held.splice(0)) {
      accepted.push(body?.id);
      response.writeHead(202).end();
    }
  }
  await sent;
  expect(accepted.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 40 }, (_, id) => id),
  );
});

it('reading from a server pauses while it accepts no responses', async () => {
  const held: Arrival[] = [];
  let stream: Arrival | undefined;
  const server = await scriptedServer((arrival) => {
    if (isAnswer(arrival)) return void held.push(arrival);
    if (playHandshake(arrival, { get: 'stream' })) return;
    if (arrival.method === 'POST') return answerJson(arrival);
    beginEvents(arrival);
    stream = arrival;
  });
  const transport = httpTransport({ url: server.url });
  let asked = 0;
  const peer = new Peer(transport, {
    request: () => {
      asked += 1;
      return { result: {} };
    },
    notification: () => undefined,
    ended: () => undefined,
  });
  await peer.start();
  await peer.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  }).outcome;
  await peer.notify('notifications/initialized');
  await until(() => stream !== undefined);
  stream?.response.write(pings(0, 70));
  await until(() => asked === 70 && held.length === 16);
  // The chunk with too many requests is the last one that is read.
  stream?.response.write(ping(70));
  await peer.request('ping').outcome;
  expect(asked).toBe(70);
  const accepting = setInterval(() => {
    for (const { response } of held.splice(0)) response.writeHead(202).end();
  }, 1);
  await until(() => asked === 71);
  await transport.close();
  clearInterval(accepting);
});
