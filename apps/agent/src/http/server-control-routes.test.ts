import { afterEach, describe, expect, test } from 'vitest';
import { FakeServer } from '../mcp/testing/fake-server.ts';
import { poolOf, statusOf, toolNamed, type PoolFixture } from '../mcp/testing/pool-fixture.ts';
import { createTestEdge, type TestEdge } from './testing.ts';
import { localCatalogue } from '../fleet/local-catalogue.ts';

const edges: TestEdge[] = [];

afterEach(async () => {
  for (const edge of edges.splice(0)) await edge.close();
});

interface Fixture extends PoolFixture {
  readonly server: FakeServer;
  readonly send: (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
}

async function ready(): Promise<Fixture> {
  const server = new FakeServer({ ...toolNamed('read/all'), description: 'Reads.' });
  const fixture = poolOf({ s: server }, { s: { roots: ['/a'] } });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  const edge = await createTestEdge(
    {},
    {},
    { catalogue: localCatalogue(fixture.pool), directory: fixture.pool },
  );
  edges.push(edge);
  const send: Fixture['send'] = async (method, path, body) => {
    const response = await edge.app.inject({
      method,
      url: `/v1/servers${path}`,
      headers: {
        host: 'localhost',
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: response.json() };
  };
  return { ...fixture, server, send };
}

const changed = { ...toolNamed('read/all'), description: 'Writes.' };

async function quarantined(): Promise<Fixture> {
  const fixture = await ready();
  fixture.server.tools = [changed];
  fixture.server.changeTools();
  await statusOf(fixture.pool, 's', (status) => status.quarantined.length > 0);
  return fixture;
}

test('a server has a log with its lines on stderr', async () => {
  const { send, server, clock } = await ready();
  server.options.onStderr('listening');
  expect(await send('GET', '/s/log')).toEqual({
    status: 200,
    body: {
      lines: [{ at: new Date(clock.now()).toISOString(), level: 'debug', text: 'listening' }],
    },
  });
});

test('a server shows its health, circuit breaker, roots and pinned tools', async () => {
  const { send } = await ready();
  expect(await send('GET', '')).toMatchObject({
    body: {
      data: [
        {
          name: 's',
          transport: 'stdio',
          state: 'ready',
          health: 'ok',
          era: 'legacy',
          breaker: 'closed',
          breaker_failures: 0,
          quarantined: [],
          roots: ['/a'],
        },
      ],
    },
  });
  expect(await send('GET', '/s')).toMatchObject({
    status: 200,
    body: {
      pins: [
        {
          tool: 'read/all',
          digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          first_seen_at: '2023-11-14T22:13:20.000Z',
        },
      ],
    },
  });
});

describe('drain and reconnect', () => {
  test('are accepted, with or without a mode', async () => {
    const { send, server, pool } = await ready();
    expect(await send('POST', '/s/drain')).toMatchObject({
      status: 202,
      body: { state: 'drained', health: 'down' },
    });
    expect(await send('POST', '/s/reconnect', { mode: 'now' })).toMatchObject({
      status: 202,
      body: { state: 'connecting' },
    });
    await statusOf(pool, 's', ({ state }) => state === 'ready');
    expect(server.launches).toBe(2);
  });

  test.each([
    ['POST', '/s/drain', { mode: 'soon' }, 400, 'invalid_request'],
    ['POST', '/s/reconnect', { now: true }, 400, 'invalid_request'],
    ['POST', '/nowhere/drain', {}, 404, 'server_not_found'],
    ['POST', '/nowhere/reconnect', {}, 404, 'server_not_found'],
  ] as const)('%s %s %j is answered with %i', async (method, path, body, status, code) => {
    const { send, server } = await ready();
    expect(await send(method, path, body)).toMatchObject({ status, body: { code } });
    expect(server.launches).toBe(1);
  });
});

describe('a changed tool', () => {
  test('is shown with its definition, and approved by its digest', async () => {
    const { send, pool } = await quarantined();
    expect(await send('GET', '')).toMatchObject({
      body: { data: [{ health: 'degraded', quarantined: ['read/all'], tool_count: 0 }] },
    });
    const { body } = await send('GET', '/s');
    const { pins } = body as {
      readonly pins: readonly { readonly quarantined: { readonly digest: string } }[];
    };
    expect(pins).toMatchObject([
      {
        tool: 'read/all',
        quarantined: { changed: ['description'], definition: { description: 'Writes.' } },
      },
    ]);
    expect(
      await send('POST', '/s/tools/read%2Fall/approve', { digest: pins[0]?.quarantined.digest }),
    ).toMatchObject({ status: 200, body: { health: 'ok', quarantined: [] } });
    expect(pool.tools()).toHaveLength(1);
    expect(await send('GET', '/s')).toMatchObject({
      body: { pins: [{ accepted_at: expect.any(String) as string }] },
    });
  });

  test('is approved without a digest, too', async () => {
    const { send } = await quarantined();
    expect(await send('POST', '/s/tools/read%2Fall/approve')).toMatchObject({
      status: 200,
      body: { quarantined: [] },
    });
  });

  test('is approved together with other tools, or with all quarantined tools', async () => {
    for (const tools of ['all', [{ tool: 'read/all' }]]) {
      const { send, pool } = await quarantined();
      expect(await send('POST', '/s/tools/approve', { tools })).toMatchObject({
        status: 200,
        body: { name: 's', quarantined: [], approved: ['read/all'] },
      });
      expect(pool.tools()).toHaveLength(1);
      expect(await send('POST', '/s/tools/approve', { tools })).toMatchObject({
        status: 200,
        body: { approved: [] },
      });
    }
  });

  test.each([
    [
      '/s/tools/approve',
      { tools: [{ tool: 'read/all' }, { tool: 'none' }] },
      404,
      'tool_not_found',
    ],
    [
      '/s/tools/approve',
      { tools: [{ tool: 'read/all', digest: 'ab' }] },
      409,
      'definition_changed',
    ],
    ['/s/tools/approve', { tools: 'some' }, 400, 'invalid_request'],
    ['/nowhere/tools/approve', { tools: 'all' }, 404, 'server_not_found'],
    ['/s/tools/read%2Fall/approve', { digest: 'ab' }, 409, 'definition_changed'],
    ['/s/tools/none/approve', {}, 404, 'tool_not_found'],
    ['/nowhere/tools/read%2Fall/approve', {}, 404, 'server_not_found'],
    ['/s/tools/read%2Fall/approve', { digest: 7 }, 400, 'invalid_request'],
  ])('POST %s %j is answered with %i', async (path, body, status, code) => {
    const { send, pool } = await quarantined();
    expect(await send('POST', path, body)).toMatchObject({ status, body: { code } });
    expect(pool.tools()).toEqual([]);
  });
});

describe('roots', () => {
  test('are accepted as paths and as URLs, deduplicated and returned', async () => {
    const { send, server } = await ready();
    expect(
      await send('PUT', '/s/roots', { roots: ['/b', 'file:///c%20d', '/x/../b'] }),
    ).toMatchObject({ status: 200, body: { roots: ['/b', '/c d'] } });
    expect(server.rootsNotifications).toBe(1);
    expect(await send('PUT', '/s/roots', { roots: [] })).toMatchObject({ body: { roots: [] } });
  });

  test.each([
    ['/s/roots', {}, 400, 'invalid_request'],
    ['/s/roots', { roots: ['b'] }, 400, 'invalid_request'],
    ['/s/roots', { roots: ['https://example.org/'] }, 400, 'invalid_request'],
    ['/s/roots', { roots: ['file://elsewhere/b'] }, 400, 'invalid_request'],
    ['/s/roots', { roots: ['/b\0'] }, 400, 'invalid_request'],
    ['/nowhere/roots', { roots: [] }, 404, 'server_not_found'],
  ])('PUT %s %j is answered with %i', async (path, body, status, code) => {
    const { send, server } = await ready();
    expect(await send('PUT', path, body)).toMatchObject({ status, body: { code } });
    expect(server.rootsNotifications).toBe(0);
  });
});
