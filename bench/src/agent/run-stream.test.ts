import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { RunStream } from './run-stream.ts';

let server: Server;
afterEach(() => server.close());

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on a TCP port.
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const event = (seq: number, type: string): string =>
  `id: ${String(seq)}\nevent: ${type}\ndata: {"seq":${String(seq)}}\n\n`;

test('events are counted and told, however the stream is cut; frames without an id are not events', async () => {
  const url = await serve((response) => {
    const text = `event: run.snapshot\ndata: {}\n\n${event(1, 'run.queued')}: keep-alive\n\n${event(2, 'turn.started')}`;
    for (const character of text) response.write(character);
    response.end();
  });
  const heard: [string, number][] = [];
  const stream = await RunStream.open(url, 'r', {
    onEvent: (type, seq) => heard.push([type, seq]),
  });
  expect(await stream.ended).toEqual({ inOrder: 2, outOfOrder: 0 });
  expect(heard).toEqual([
    ['run.queued', 1],
    ['turn.started', 2],
  ]);
});

test.each([
  ['missing', [1, 3, 4], { inOrder: 1, outOfOrder: 2 }],
  ['there twice', [1, 2, 2, 3], { inOrder: 3, outOfOrder: 1 }],
  ['missing at the beginning', [2, 3], { inOrder: 0, outOfOrder: 2 }],
])('an event that is %s is noticed', async (_what, seqs, seen) => {
  const url = await serve((response) => response.end(seqs.map((seq) => event(seq, 'x')).join('')));
  expect(await (await RunStream.open(url, 'r')).ended).toEqual(seen);
});

test('the run that was started is named by its location', async () => {
  const url = await serve((response) =>
    response.writeHead(200, { location: '/v1/runs/abc' }).end(event(1, 'run.queued')),
  );
  const { stream, runId } = await RunStream.start(url, {});
  expect([runId, await stream.ended]).toEqual(['abc', { inOrder: 1, outOfOrder: 0 }]);
});

test('an answer that is no stream is an error', async () => {
  const url = await serve((response) => response.writeHead(404).end());
  await expect(RunStream.open(url, 'r')).rejects.toThrow('was answered with 404');
});
