import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestEdge, type TestEdge } from './testing.ts';

let edge: TestEdge;
beforeEach(async () => {
  edge = await createTestEdge();
});
afterEach(async () => edge.close());

const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
  edge.app.inject({
    method: 'POST',
    url,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: { host: '127.0.0.1:8020', 'content-type': 'application/json', ...headers },
  });
const get = (url: string, headers: Record<string, string> = {}) =>
  edge.app.inject({ method: 'GET', url, headers: { host: '127.0.0.1:8020', ...headers } });

describe('runs', () => {
  test('a new run is answered with 202, its location and the whole resource', async () => {
    const response = await post('/v1/runs', { prompt: ' count the files ' });
    expect(response.statusCode).toBe(202);
    expect(response.headers.location).toBe('/v1/runs/run-1');
    expect(response.json()).toMatchObject({
      id: 'run-1',
      status: 'queued',
      prompt: 'count the files',
      scripted: true,
      notice: 'answers come from a test',
      last_seq: 1,
      inbox: [],
    });
    expect((await get('/v1/runs/run-1')).json()).toMatchObject({ id: 'run-1' });
  });

  test('the list is paged by an opaque cursor, newest first', async () => {
    for (const prompt of ['a', 'b', 'c']) await post('/v1/runs', { prompt });
    const first = (await get('/v1/runs?limit=2')).json<{
      data: { prompt: string }[];
      next_cursor: string;
    }>();
    expect(first.data.map((run) => run.prompt)).toEqual(['c', 'b']);
    const second = (
      await get(`/v1/runs?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)
    ).json<{ data: { prompt: string }[] }>();
    expect(second.data.map((run) => run.prompt)).toEqual(['a']);
    expect(second).not.toHaveProperty('next_cursor');
  });

  test('a page of events has the cursor of the next page', async () => {
    await post('/v1/runs', { prompt: 'a' });
    await edge.append('run-1', ['run.started', 'turn.started']);
    const page = (await get('/v1/runs/run-1/events?limit=2')).json<{
      data: { seq: number; type: string }[];
    }>();
    expect(page).toMatchObject({ last_seq: 3, next_cursor: '2' });
    expect(page.data.map((event) => [event.seq, event.type])).toEqual([
      [1, 'run.queued'],
      [2, 'run.started'],
    ]);
    for (const query of ['cursor=2', 'after=2'])
      expect((await get(`/v1/runs/run-1/events?${query}`)).json()).toMatchObject({
        data: [{ seq: 3, type: 'turn.started' }],
      });
    expect((await get('/v1/runs/run-1/events?cursor=x')).json()).toMatchObject({
      code: 'invalid_cursor',
    });
  });
});

describe('the problem for invalid input names the field and the remedy', () => {
  test.each([
    ['malformed JSON', '{"prompt": "a",\n "x": }', 400, 'invalid_json', /line 2, column 7/],
    [
      'a cut body',
      '{"prompt": ',
      400,
      'invalid_json',
      /line 1, column 12 of the body: the text ends/,
    ],
    ['deep nesting', `{"prompt": ${'['.repeat(500)}`, 400, 'invalid_json', /nested deeper/],
    ['a missing prompt', {}, 400, 'invalid_request', /prompt/],
    ['a blank prompt', { prompt: '  ' }, 400, 'invalid_request', /prompt/],
    ['an unknown field', { prompt: 'a', promt: 'b' }, 400, 'invalid_request', /^\/body: .*promt/],
    [
      'a limit below one',
      { prompt: 'a', limits: { turns: 0 } },
      400,
      'invalid_request',
      /limits\/turns/,
    ],
    ['an unknown limit', { prompt: 'a', limits: { turn: 1 } }, 400, 'invalid_request', /turn/],
    ['a body that is no object', '[1]', 400, 'invalid_request', /object/],
    ['an unknown server', { prompt: 'a', servers: ['nowhere'] }, 400, 'unknown_server', /nowhere/],
    [
      'a server name that is too long',
      { prompt: 'a', servers: ['s'.repeat(101)] },
      400,
      'invalid_request',
      /^\/body\/servers\/0: must have at most 100 characters$/,
    ],
    ['a body over 1 MiB', { prompt: 'a'.repeat(1024 * 1024) }, 413, 'payload_too_large', /1 MiB/],
  ])('%s', async (_name, payload, status, code, detail) => {
    const response = await post('/v1/runs', payload);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.json()).toMatchObject({
      status,
      code,
      type: `urn:signalbox:problem:${code}`,
      instance: '/v1/runs',
      retryable: false,
    });
    expect(response.json<{ detail: string }>().detail).toMatch(detail);
    expect(edge.errors).toEqual([]);
    expect((await get('/v1/runs')).json()).toMatchObject({ data: [] });
  });

  test.each([
    ['GET', '/v1/runs/nobody', 404, 'run_not_found'],
    ['GET', '/v1/runs/nobody/events', 404, 'run_not_found'],
    ['GET', '/v1/runs/nobody/tool-calls', 404, 'run_not_found'],
    ['POST', '/v1/runs/nobody/cancel', 404, 'run_not_found'],
    ['GET', '/v1/runs?cursor=forged', 400, 'invalid_cursor'],
    ['GET', '/v1/runs?limit=0', 400, 'invalid_request'],
    ['GET', '/v1/runs?limt=1', 400, 'invalid_request'],
    ['GET', '/v1/runs?status=asleep', 400, 'invalid_request'],
    ['GET', '/v1/runs/%zz', 400, 'invalid_request'],
    ['GET', `/v1/runs/${'a'.repeat(101)}`, 400, 'invalid_request'],
    ['GET', '//v1/runs', 404, 'route_not_found'],
    ['OPTIONS', '/v1/runs', 405, 'method_not_allowed'],
    ['GET', '/v1/nothing', 404, 'route_not_found'],
    ['DELETE', '/v1/runs', 405, 'method_not_allowed'],
    ['GET', '/v1/servers?nmae=a', 400, 'invalid_request'],
    ['GET', '/v1/agents?metadata.a=b', 400, 'invalid_request'],
  ] as const)('%s %s', async (method, url, status, code) => {
    const response =
      method === 'POST'
        ? await post(url, '')
        : await edge.app.inject({ method, url, headers: { host: 'localhost' } });
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code]);
  });

  test('an inbox item that is not open is a conflict', async () => {
    const response = await post('/v1/inbox/i1/respond', { action: 'approve' });
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([
      409,
      'inbox_item_not_open',
    ]);
    expect((await post('/v1/inbox/i1/respond', { action: 'perhaps' })).json()).toMatchObject({
      code: 'invalid_request',
    });
  });

  test('an internal error reveals no details to the client, and the service continues', async () => {
    await edge.close();
    edge = await createTestEdge(
      {},
      { createRun: () => Promise.reject(new Error('secret at /home/me')) },
    );
    const response = await post('/v1/runs', { prompt: 'a' });
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('secret');
    expect(edge.errors).toHaveLength(1);
    expect((await get('/healthz')).statusCode).toBe(200);
  });
});

describe('the edge refuses requests that a web page could send', () => {
  test.each([
    ['a rebound name', { host: 'evil.example:8020' }, 403, 'forbidden_host'],
    ['a page of another origin', { origin: 'https://evil.example' }, 403, 'forbidden_origin'],
    ['a sandboxed page', { origin: 'null' }, 403, 'forbidden_origin'],
    ['a page of another port', { origin: 'http://127.0.0.1:9999' }, 403, 'forbidden_origin'],
    [
      'a form',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    ['a form with text', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ])('%s', async (_name, headers, status, code) => {
    const response = await post('/v1/runs', { prompt: 'a' }, headers);
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code]);
    expect((await get('/v1/runs')).json()).toMatchObject({ data: [] });
  });

  test("a page of the service's own origin may send requests", async () => {
    expect(
      (await post('/v1/runs', { prompt: 'a' }, { origin: 'http://127.0.0.1:8020' })).statusCode,
    ).toBe(202);
    expect((await post('/v1/runs', { prompt: 'a' }, { host: '[::1]:8020' })).statusCode).toBe(202);
  });

  test('no response allows another origin to read it', async () => {
    const response = await get('/v1/runs', { origin: 'http://127.0.0.1:8020' });
    expect(
      Object.keys(response.headers).filter((name) => name.startsWith('access-control')),
    ).toEqual([]);
  });

  test.each([
    '127.0.0.1.',
    'localhost.evil.example',
    '127.0.0.1@evil.example',
    '[::2]:8020',
    'evil.example:127.0.0.1',
  ])('the Host %j is refused by a service bound to loopback', async (host) => {
    expect((await get('/healthz', { host })).json()).toMatchObject({
      code: 'forbidden_host',
      detail: expect.stringContaining('set public_url in the configuration') as string,
    });
  });

  test('a configured host name is accepted in any letter case', async () => {
    await edge.close();
    edge = await createTestEdge({ keys: [{ name: 'default', token: 'right' }], host: 'Box.LAN' });
    expect((await get('/healthz', { host: 'box.lan:8020' })).statusCode).toBe(200);
    expect((await get('/healthz', { host: 'other.lan' })).statusCode).toBe(403);
  });

  test('a service bound to every address accepts any Host with the token', async () => {
    await edge.close();
    edge = await createTestEdge({ keys: [{ name: 'default', token: 'right' }], host: '0.0.0.0' });
    expect(
      (await get('/v1/runs', { host: '192.168.1.7:8020', authorization: 'Bearer right' }))
        .statusCode,
    ).toBe(200);
    expect((await get('/v1/runs', { host: 'box.lan' })).statusCode).toBe(401);
    expect(
      (
        await get('/v1/runs', {
          host: 'box.lan',
          origin: 'https://evil.example',
          authorization: 'Bearer right',
        })
      ).statusCode,
    ).toBe(403);
  });

  test('a configured token is required by every endpoint but /healthz, /readyz and redirects of logins', async () => {
    await edge.close();
    edge = await createTestEdge({ keys: [{ name: 'default', token: 'right' }], host: 'box.lan' });
    expect((await get('/v1/runs')).statusCode).toBe(401);
    expect((await get('/v1/runs', { authorization: 'Bearer wrong' })).json()).toMatchObject({
      code: 'unauthorized',
    });
    expect((await get('/openapi.json')).statusCode).toBe(401);
    expect(
      (await get('/v1/runs', { authorization: 'Bearer right', host: 'box.lan:1' })).statusCode,
    ).toBe(200);
    for (const probe of ['/healthz', '/readyz']) expect((await get(probe)).statusCode).toBe(200);
    expect((await get('/v1/oauth/callback?state=none')).body).toContain('Unknown login');
  });
});

describe('servers, tools and the OpenAPI document', () => {
  test('a failed server has an error with a remedy', async () => {
    expect((await get('/v1/servers')).json()).toMatchObject({
      data: [
        {
          name: 'broken',
          state: 'failed',
          error: expect.stringContaining('mcpServers.broken.command') as string,
        },
      ],
    });
    expect((await get('/v1/tools')).json()).toMatchObject({
      data: [{ name: 'files__read', tool: 'read', trusted: true }],
    });
    expect((await get('/healthz')).json()).toMatchObject({
      status: 'ok',
      version: '1.2.3',
      scripted: true,
    });
  });

  test('the OpenAPI document refers to named schemas', async () => {
    const document = (await get('/openapi.json')).json<{
      openapi: string;
      components: { schemas: Record<string, unknown> };
    }>();
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Run', 'NewRun', 'RunEvent', 'ProblemDetails']),
    );
  });
});
