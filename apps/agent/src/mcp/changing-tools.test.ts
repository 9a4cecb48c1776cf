import { ProtocolError } from '@signalbox/mcp-core';
import { expect, test, vi } from 'vitest';
import type { ToolCallOutcome } from '../ports/tool-dispatcher.ts';
import { FakeServer } from './testing/fake-server.ts';
import {
  callRequest,
  poolOf,
  statusOf,
  toolNamed,
  type PoolFixture,
} from './testing/pool-fixture.ts';

async function ready(servers: { readonly [name: string]: FakeServer }): Promise<PoolFixture> {
  const fixture = poolOf(servers);
  fixture.pool.start();
  await fixture.pool.settled(1000);
  return fixture;
}

async function begin(
  { pool }: PoolFixture,
  server: FakeServer,
  wireName: string,
): Promise<{ readonly outcome: Promise<ToolCallOutcome> }> {
  const before = server.calls.length;
  const outcome = pool.call(callRequest(wireName));
  await vi.waitFor(() => expect(server.calls.length).toBe(before + 1), {
    interval: 1,
    timeout: 10_000,
  });
  return { outcome };
}

const done = { content: [] };

test('a change of one server reloads only the tools of that server', async () => {
  const [changing, quiet] = [new FakeServer(toolNamed('a')), new FakeServer(toolNamed('b'))];
  const { pool } = await ready({ changing, quiet });
  const read = vi.fn<() => void>();
  quiet.onList = read;
  changing.tools = [toolNamed('c')];
  changing.changeTools();
  await statusOf(pool, 'changing', () => pool.find('changing__c') !== undefined);
  expect(pool.tools().map(({ wireName }) => wireName)).toEqual(['changing__c', 'quiet__b']);
  expect(read).not.toHaveBeenCalled();
});

test('a changed list replaces the whole old list', async () => {
  const server = new FakeServer(
    ...Array.from({ length: 50 }, (_, index) => toolNamed(`old${index}`)),
  );
  const { pool } = await ready({ server });
  server.tools = Array.from({ length: 50 }, (_, index) => toolNamed(`new${index}`));
  server.changeTools();
  const seen = new Set<string>();
  while (pool.find('server__new49') === undefined) {
    seen.add(
      pool
        .tools()
        .map(({ name }) => name.slice(0, 3))
        .join(' '),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
  seen.add(
    pool
      .tools()
      .map(({ name }) => name.slice(0, 3))
      .join(' '),
  );
  expect([...seen]).toEqual([
    Array.from({ length: 50 }, () => 'old').join(' '),
    Array.from({ length: 50 }, () => 'new').join(' '),
  ]);
});

test.each([
  ['vanishes', []],
  ['changes', [toolNamed('t', { type: 'object', required: ['x'] })]],
])('a call in flight continues when its tool %s', async (_what, next) => {
  const server = new FakeServer(toolNamed('t'));
  const fixture = await ready({ server });
  const { outcome } = await begin(fixture, server, 'server__t');
  server.tools = next;
  server.changeTools();
  await statusOf(fixture.pool, 'server', ({ toolCount }) => toolCount === 0);
  server.calls[0]!.answer(done);
  expect(await outcome).toEqual({ type: 'result', result: done });
});

test('a call of a removed tool reloads the tools and returns the error', async () => {
  const server = new FakeServer(toolNamed('t'), toolNamed('u'));
  const fixture = await ready({ server });
  const { outcome } = await begin(fixture, server, 'server__t');
  server.tools = [toolNamed('u')];
  server.calls[0]!.fail(new ProtocolError(-32602, 'Unknown tool: t'));
  expect(await outcome).toEqual({
    type: 'error',
    message: 'server server answered with error -32602: Unknown tool: t',
  });
  await statusOf(fixture.pool, 'server', ({ toolCount }) => toolCount === 1);
  expect(await fixture.pool.call(callRequest('server__t'))).toEqual({
    type: 'not-sent',
    message: 'server server offers no tool of that name at present',
  });
  expect(fixture.pool.whyNotOffered('server__t')).toBe(
    'server server offers no tool of that name at present',
  );
  expect(fixture.pool.whyNotOffered('server__u')).toBeUndefined();
  expect(fixture.pool.whyNotOffered('nowhere__u')).toBeUndefined();
});

test('other errors of a server do not reload its tools', async () => {
  const server = new FakeServer(toolNamed('t'));
  const fixture = await ready({ server });
  const read = vi.fn<() => void>();
  server.onList = read;
  const { outcome } = await begin(fixture, server, 'server__t');
  server.calls[0]!.fail(new ProtocolError(-32603, 'broken'));
  await outcome;
  expect(read).not.toHaveBeenCalled();
});

test('a tool of a disconnected server is reported as unavailable', async () => {
  const server = new FakeServer(toolNamed('t'));
  const { pool } = await ready({ server });
  server.crash('gone');
  await statusOf(pool, 'server', ({ state }) => state === 'failed');
  expect(pool.whyNotOffered('server__t')).toMatch(/^server server is failed: gone: /);
});
