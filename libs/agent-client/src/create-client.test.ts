import { describe, expect, expectTypeOf, test } from 'vitest';
import { createClient, ProblemError, unwrap, type Run } from './index.ts';
import { problem, scriptedService } from './testing/scripted-service.ts';

describe('a request', () => {
  test('has the path, query and key of the client, and its response has the type of the document', async () => {
    const { client, requests } = scriptedService([Response.json({ data: [] })], 'secret');
    const { data } = await unwrap(
      client.api.GET('/v1/runs', {
        params: { query: { status: ['queued', 'running'], metadata: { team: 'a b' }, limit: 5 } },
      }),
    );
    expectTypeOf(data).toExtend<readonly Run[]>();
    expect(requests.map(({ url }) => url)).toEqual([
      'http://service.test/v1/runs?status=queued&status=running&metadata[team]=a%20b&limit=5',
    ]);
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret');
  });

  test('has no authorization without a key', async () => {
    const { client, requests } = scriptedService([Response.json({})]);
    await unwrap(client.api.GET('/healthz'));
    expect(requests[0]?.headers.has('authorization')).toBe(false);
  });

  test('sends a body as JSON', async () => {
    const { client, requests } = scriptedService([Response.json({}, { status: 202 })]);
    await unwrap(client.api.POST('/v1/runs', { body: { prompt: 'Hello' } }));
    expect(requests[0]?.headers.get('content-type')).toBe('application/json');
    expect(await requests[0]?.json()).toEqual({ prompt: 'Hello' });
  });

  test('without content in its response returns undefined', async () => {
    const { client } = scriptedService([new Response(null, { status: 204 })]);
    const body = await unwrap(
      client.api.DELETE('/v1/runs/{id}', { params: { path: { id: 'r' } } }),
    );
    expect(body).toBeUndefined();
  });
});

describe('an error response', () => {
  const failure = async (response: Response): Promise<ProblemError> => {
    const { client } = scriptedService([response]);
    const error: unknown = await unwrap(client.api.GET('/healthz')).catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ProblemError)) throw new Error(`not a ProblemError: ${String(error)}`);
    return error;
  };

  test('throws the problem with its code, fields and request id', async () => {
    const errors = [{ path: '/body/prompt', message: 'is required' }];
    const error = await failure(
      problem(400, { code: 'invalid_request', request_id: 'q-1', errors }),
    );
    expect(error).toMatchObject({
      name: 'ProblemError',
      message: 'no',
      status: 400,
      code: 'invalid_request',
      isRetryable: false,
      retryAfterMs: undefined,
      requestId: 'q-1',
      fields: errors,
    });
  });

  test('has the time of Retry-After in milliseconds', async () => {
    const error = await failure(
      problem(429, { code: 'too_many_runs', retryable: true }, { 'retry-after': '7' }),
    );
    expect(error).toMatchObject({ isRetryable: true, retryAfterMs: 7000 });
  });

  test.each([
    { status: 409, retryable: true },
    { status: 503, retryable: false },
  ])('is retryable if the service says so: $status, $retryable', async ({ status, retryable }) => {
    expect(await failure(problem(status, { retryable }))).toMatchObject({ isRetryable: retryable });
  });

  test.each([
    { status: 502, body: '<h1>Bad gateway</h1>', isRetryable: true },
    { status: 404, body: '{"message":"other"}', isRetryable: false },
  ])('of another program has no code of the service: $status', async ({ isRetryable, ...sent }) => {
    expect(await failure(new Response(sent.body, { status: sent.status }))).toMatchObject({
      status: sent.status,
      code: 'unexpected_response',
      isRetryable,
      message: `The service answered with status ${sent.status}`,
    });
  });
});

test('an error of fetch is not changed', async () => {
  const unreachable = new TypeError('fetch failed');
  const { client } = scriptedService([unreachable]);
  await expect(unwrap(client.api.GET('/healthz'))).rejects.toBe(unreachable);
});

test('a client of an address that is no URL is rejected at once', () => {
  expect(() => createClient({ baseUrl: 'localhost' })).toThrow(
    new TypeError('baseUrl is not a URL: "localhost"; use one such as http://127.0.0.1:8020'),
  );
});
