import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTestEdge } from '../http/testing.ts';
import { FakeServer } from '../mcp/testing/fake-server.ts';
import { poolOf, toolNamed } from '../mcp/testing/pool-fixture.ts';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY } from '../run/testing/fake-registry.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from '../http/testing/service-edge.ts';
import type { ToolCallOutcome } from '../ports/tool-dispatcher.ts';
import { runCommand } from './command.ts';
import { testIo } from './testing/test-io.ts';
import { localCatalogue } from '../fleet/local-catalogue.ts';

const LONG = 'a line of a long result\n'.repeat(1000);

async function service() {
  const fixture = poolOf({ files: new FakeServer(toolNamed('read')) });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  const edge = await createTestEdge(
    {},
    {},
    { catalogue: localCatalogue(fixture.pool), directory: fixture.pool },
  );
  const url = await edge.app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => edge.close());
  const signalbox = async (...argv: readonly string[]) => {
    const io = testIo();
    const code = await runCommand(io, {
      argv: [...argv, '--url', url],
      env: {},
      cwd: '/',
      repository: '/',
      version: '0',
    });
    return { code, ...io.written };
  };
  const start = async (prompt: string): Promise<string> => {
    const response = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt }),
    });
    return ((await response.json()) as { readonly id: string }).id;
  };
  return { signalbox, start, edge };
}

test('servers are listed with their states', async () => {
  const { signalbox } = await service();
  expect(await signalbox('servers')).toEqual({
    code: 0,
    out: 'files  ready  1 tools  \n',
    err: '',
  });
  expect(JSON.parse((await signalbox('servers', '--json')).out)).toMatchObject({
    name: 'files',
    state: 'ready',
  });
});

test('runs are listed with their age, status and prompt', async () => {
  const { signalbox, start } = await service();
  expect(await signalbox('runs')).toEqual({ code: 0, out: '', err: 'there are no runs\n' });
  const id = await start('Write\na letter');
  const { out } = await signalbox('runs');
  expect(out).toMatch(new RegExp(`^${id}  \\d+ [sd]  queued  Write a letter\\n$`));
});

test('a run is followed to its end, and only its answer goes to stdout', async () => {
  const { signalbox, start, edge } = await service();
  const id = await start('Write a letter');
  const store = edge.store;
  const followed = signalbox('follow', id);
  const lastSeq = await store.write({}, (transaction) =>
    transaction.append(id, [
      { type: 'run.completed', data: { answer: 'Dear Ann', output: undefined, scripted: false } },
    ]),
  );
  await store.write({}, (transaction) =>
    transaction.updateRun(id, { status: 'completed', finishedAt: 1 }),
  );
  edge.bus.publish({ type: 'events', runId: id, lastSeq });
  expect(await followed).toMatchObject({ code: 0, out: 'Dear Ann\n' });
});

/** A service with a run whose stream is cut after its first event; another stream has the rest. Returns its address and the `last-event-id` of each stream. */
async function cutService() {
  const id = '01932d6e-0000-7000-8000-00000000aaaa';
  const streams: (string | undefined)[] = [];
  const run = { id, status: 'running', prompt: 'Write a letter', last_seq: 2, inbox: [] };
  const event = (seq: number, type: string, data: object) =>
    JSON.stringify({ run_id: id, seq, type, version: 1, at: '2026-01-01T00:00:00Z', data });
  const server = createServer((request, response) => {
    if (request.url !== `/v1/runs/${id}/events`) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(run));
      return;
    }
    streams.push(request.headers['last-event-id'] as string | undefined);
    const isFirst = streams.length === 1;
    const snapshot = JSON.stringify({ type: 'run.snapshot', run_id: id, run });
    const next = isFirst
      ? event(1, 'run.started', {})
      : event(2, 'run.completed', { answer: 'Dear Ann', scripted: false });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = `retry: 1\ndata: ${snapshot}\n\ndata: ${next}\n\n`;
    response.write(text, () => (isFirst ? response.destroy() : response.end()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { id, streams, url: `http://127.0.0.1:${port}` };
}

test('a run is followed over a lost connection, from the event after the last', async () => {
  const { id, streams, url } = await cutService();
  const io = testIo();
  const code = await runCommand(io, {
    argv: ['follow', id, '--url', url],
    env: {},
    cwd: '/',
    repository: '/',
    version: '0',
  });
  expect([code, io.written.out]).toEqual([0, 'Dear Ann\n']);
  expect(io.written.err).toContain('the connection to the service is lost; trying again in 1 s\n');
  expect(streams).toEqual([undefined, '1']);
});

/** A service whose only call waits for an approval. Returns its address. */
async function waitingService(): Promise<string> {
  const id = '01932d6e-0000-7000-8000-00000000aaaa';
  const run = {
    id,
    kind: 'call',
    status: 'input_required',
    prompt: 'Call files__write',
    inbox: [],
  };
  const event = (seq: number, type: string, data: object) =>
    `data: ${JSON.stringify({ run_id: id, seq, type, version: 1, at: '2026-01-01T00:00:00Z', data })}\n\n`;
  const opened = {
    inbox_item_id: '01932d6e-0000-7000-8000-00000000bbbb',
    kind: 'tool_approval',
    request: { name: 'files__write', arguments: { path: 'a' } },
  };
  const server = createServer((request, response) => {
    const isStream = request.url === `/v1/runs/${id}/events`;
    response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
    });
    if (!isStream) return response.end(JSON.stringify(run));
    response.write(`data: ${JSON.stringify({ type: 'run.snapshot', run_id: id, run })}\n\n`);
    response.write(event(1, 'run.started', { scripted: false }));
    return response.write(event(2, 'inbox.opened', opened));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['call', 'files__write'],
  ['follow', '01932d6e-0000-7000-8000-00000000aaaa'],
])(
  '%s prints how to answer a call that waits for a person, until it is interrupted',
  async (...argv) => {
    const url = await waitingService();
    const interrupts: (() => void)[] = [];
    const onInterrupt = (listener: () => void) => {
      interrupts.push(listener);
      return () => undefined;
    };
    const io = { ...testIo(), onInterrupt };
    const context = { env: {}, cwd: '/', repository: '/', version: '0' };
    const ended = runCommand(io, { argv: [...argv, '--url', url], ...context });
    await vi.waitFor(() => expect(io.written.err).toContain('inbox answer'));
    for (const interrupt of interrupts) interrupt();
    expect(await ended).toBe(130);
    expect(io.written).toEqual({
      out: '',
      err: [
        'run 01932d6e-0000-7000-8000-00000000aaaa',
        '? may files__write be called with {"path":"a"}',
        'answer with: signalbox inbox answer 01932d6e-0000-7000-8000-00000000bbbb',
        'the run continues; signalbox cancel 01932d6e-0000-7000-8000-00000000aaaa cancels it',
        '',
      ].join('\n'),
    });
  },
);

test('following a run of a service that does not answer ends at once', async () => {
  const io = testIo();
  const code = await runCommand(io, {
    argv: ['follow', '01932d6e-0000-7000-8000-00000000aaaa', '--url', 'http://127.0.0.1:9'],
    env: {},
    cwd: '/',
    repository: '/',
    version: '0',
  });
  expect(code).toBe(1);
  expect(io.written.err).toMatch(/^signalbox: no service answers at http:\/\/127\.0\.0\.1:9 /);
});

test.each<[string, ToolCallOutcome, object]>([
  ['the whole text of a long result', ok(LONG), { code: 0, out: `${LONG}\n`, err: '' }],
  [
    'the text of a failure once',
    {
      type: 'result',
      result: { content: [{ type: 'text', text: 'no such file' }], isError: true },
    },
    { code: 1, out: '', err: 'signalbox: r__read (failed): no such file\n' },
  ],
])('a call prints %s', async (_, outcome, printed) => {
  const edge = await createServiceEdge(
    await openService({
      script: callsThenAnswer([], 'unused'),
      tools: { r__read: { annotations: READ_ONLY, call: () => Promise.resolve(outcome) } },
    }),
  );
  const url = await edge.app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => edge.app.close());
  const io = testIo();
  const code = await runCommand(io, {
    argv: ['call', 'r__read', '--url', url],
    env: {},
    cwd: '/',
    repository: '/',
    version: '0',
  });
  expect({ code, ...io.written }).toEqual(printed);
});

test.each([
  [['runs', 'x'], 2, 'usage: signalbox runs;'],
  [['follow'], 2, 'usage: signalbox follow ID;'],
  [['call'], 2, 'usage: signalbox call TOOL JSON;'],
  [['call', 'files__read', '{'], 2, 'the arguments are not JSON: line 1, column 2'],
  [['call', 'files__read', '[]'], 2, "the arguments must be a JSON object, such as '{"],
  [['cancel', ''], 2, 'the id is empty; give the id of one of the runs, or a part of it'],
  [['cancel', '01932d6e-0000-7000-8000-00000000aaaa'], 1, 'run'],
])('%j ends with %i', async (argv, code, err) => {
  const { signalbox } = await service();
  expect(await signalbox(...argv)).toMatchObject({
    code,
    err: expect.stringContaining(err) as string,
  });
});
