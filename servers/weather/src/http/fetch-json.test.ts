import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendJson, startUpstream, type Answer } from '../testing/upstream.ts';
import { WeatherError } from '../weather-error.ts';
import { fetchJson, type FetchSettings } from './fetch-json.ts';
import { realRuntime } from './runtime.ts';

const never = new AbortController().signal;

function settings(
  more: Partial<FetchSettings> = {},
): FetchSettings & { readonly pauses: readonly number[] } {
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  return {
    timeoutMs: 5000,
    totalTimeoutMs: 7500,
    userAgent: 'test/1',
    runtime: { now: Date.now, random: () => 0.5, pause },
    debug: () => undefined,
    pauses,
    ...more,
  };
}

async function failure(promise: Promise<unknown>): Promise<WeatherError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof WeatherError) return error;
  throw new Error('expected a WeatherError', { cause: error });
}

describe('fetchJson', () => {
  test('returns the document and names the program', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, { ok: [1] }),
    );
    await expect(fetchJson(upstream.url, settings(), never)).resolves.toEqual({ ok: [1] });
    expect(upstream.userAgents).toEqual(['test/1']);
  });

  test('accepts a media type that ends in +json', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      response.writeHead(200, { 'content-type': 'application/geo+json' }).end('{}'),
    );
    await expect(fetchJson(upstream.url, settings(), never)).resolves.toEqual({});
  });

  test('tries a 5xx answer again after a quarter and after one second', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response, nth }) =>
      nth < 3 ? sendJson(response, {}, 503) : sendJson(response, { nth }),
    );
    const own = settings();
    await expect(fetchJson(upstream.url, own, never)).resolves.toEqual({ nth: 3 });
    expect(own.pauses).toEqual([250, 1000]);
  });

  test('varies the pauses by a fifth at most', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, {}, 500),
    );
    const own = settings();
    const values = [0, 0.999999];
    await failure(
      fetchJson(
        upstream.url,
        { ...own, runtime: { ...own.runtime, random: () => values.shift() ?? 0.5 } },
        never,
      ),
    );
    expect(own.pauses.map(Math.round)).toEqual([200, 1200]);
  });

  test('fails after three 5xx responses with the reason of the service', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, { error: true, reason: 'The service is overloaded' }, 503),
    );
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('HTTP 503: The service is overloaded') as unknown,
    });
    expect(upstream.requests).toHaveLength(3);
  });

  test('tries a connection that is reset again', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response, nth }) =>
      nth < 3 ? response.socket?.destroy() : sendJson(response, { nth }),
    );
    await expect(fetchJson(upstream.url, settings(), never)).resolves.toEqual({ nth: 3 });
  });

  test('says that nothing can be reached when the connection is refused', async () => {
    const upstream = await startUpstream(onTestFinished, () => undefined);
    upstream.stop();
    const own = settings();
    const error = await failure(fetchJson(upstream.url, own, never));
    expect(error).toMatchObject({
      code: 'network',
      message: expect.stringMatching(/ECONNREFUSED.*offline/) as unknown,
    });
    expect(own.pauses).toEqual([250, 1000]);
  });

  test.each([
    ['Minutely API request limit exceeded. Please try again in one minute.', 60],
    ['Hourly API request limit exceeded.', 3600],
    ['Daily API request limit exceeded.', 86_400],
  ])('does not repeat a 429 without Retry-After: %s', async (reason, retryAfterSeconds) => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, { error: true, reason }, 429),
    );
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error.code).toBe('rate-limited');
    expect(error.meta).toEqual({
      'dev.signalbox/error': { code: 'rate-limited', retryAfterSeconds },
    });
    expect(error.message).toContain('rate limit');
    expect(upstream.requests).toHaveLength(1);
  });

  test.each([
    ['a date', () => new Date(Date.now() + 90_000).toUTCString(), 90],
    ['a number beyond a day', () => '1e99', 86_400],
  ])('understands a Retry-After that is %s', async (_what, header, seconds) => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      response.writeHead(429, { 'retry-after': header() }).end(),
    );
    const { details, message } = await failure(fetchJson(upstream.url, settings(), never));
    expect(details.retryAfterSeconds).toBeGreaterThan(seconds - 3);
    expect(details.retryAfterSeconds).toBeLessThanOrEqual(seconds);
    expect(message).toMatch(/Try again in \d+ seconds/);
  });

  test('repeats nothing of a reason that could turn the text around', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, { error: true, reason: 'evil\u202Etxt' }, 400),
    );
    expect((await failure(fetchJson(upstream.url, settings(), never))).message).toContain(
      'evil txt',
    );
  });

  test.each<[string, Answer]>([
    [
      'is cut off',
      ({ response }) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
          .write('{', () => response.destroy()),
    ],
    [
      'is not the gzip that it says',
      ({ response }) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end('no gzip'),
    ],
  ])('does not say that the computer is offline when an answer %s', async (_what, answer) => {
    const upstream = await startUpstream(onTestFinished, answer);
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error.message).not.toContain('offline');
    expect(error).toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining('cannot be read') as unknown,
    });
  });

  test('says at once that a port is not allowed', async () => {
    const own = settings();
    const error = await failure(fetchJson(new URL('http://127.0.0.1:22/'), own, never));
    expect(error).toMatchObject({
      code: 'network',
      message: expect.stringContaining('port 22 is not allowed') as unknown,
    });
    expect(own.pauses).toEqual([]);
  });

  test('waits once for a Retry-After of two seconds', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response, nth }) =>
      nth === 1
        ? response.writeHead(429, { 'retry-after': '2' }).end()
        : sendJson(response, { nth }),
    );
    const own = settings();
    await expect(fetchJson(upstream.url, own, never)).resolves.toEqual({ nth: 2 });
    expect(own.pauses).toEqual([2000]);
  });

  test('does not wait a second time', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      response.writeHead(429, { 'retry-after': '1' }).end(),
    );
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error.details.retryAfterSeconds).toBe(1);
    expect(upstream.requests).toHaveLength(2);
  });

  test('does not wait for a Retry-After of three seconds', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      response.writeHead(429, { 'retry-after': '3' }).end(),
    );
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error.details.retryAfterSeconds).toBe(3);
    expect(upstream.requests).toHaveLength(1);
  });

  test('refuses a redirect without following or repeating it', async () => {
    const inner = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, { secret: true }),
    );
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      response.writeHead(302, { location: inner.url.href }).end(),
    );
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error).toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining('redirect') as unknown,
    });
    expect(inner.requests).toHaveLength(0);
    expect(upstream.requests).toHaveLength(1);
  });

  const longText = `[${'1,'.repeat(2 ** 20)}1]`;
  const invalid: readonly (readonly [string, string, Answer])[] = [
    [
      'HTML',
      'content type',
      ({ response }) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>'),
    ],
    ['no content type', 'content type', ({ response }) => response.writeHead(200).end('{}')],
    [
      'truncated JSON',
      'broken or incomplete',
      ({ response }) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":['),
    ],
    [
      'an empty body',
      'broken or incomplete',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
    ],
    [
      'a body over 2 MiB',
      '2097152 bytes',
      ({ response }) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(longText),
    ],
    [
      'a body over 2 MiB when decompressed',
      '2097152 bytes',
      ({ response }) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(longText)),
    ],
  ];
  test.each(invalid)('refuses %s at once', async (_what, message, answer) => {
    const upstream = await startUpstream(onTestFinished, answer);
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error).toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining(message) as unknown,
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test('stops receiving a body that never ends', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    const cut = upstream.nextCut();
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error.message).toContain('2097152 bytes');
    await cut;
  });

  test('reports the reason of a client error without its control characters', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, { error: true, reason: 'bad\u0007 \nvalue' }, 400),
    );
    const error = await failure(fetchJson(upstream.url, settings(), never));
    expect(error.code).toBe('rejected');
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(upstream.requests).toHaveLength(1);
  });

  test('times out on a service that never answers, without a retry', async () => {
    const upstream = await startUpstream(onTestFinished, () => undefined);
    const cut = upstream.nextCut();
    const error = await failure(fetchJson(upstream.url, settings({ timeoutMs: 500 }), never));
    expect(error).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('within 0.5 s') as unknown,
    });
    await cut;
    expect(upstream.requests).toHaveLength(1);
  });

  test('times out on a body that stops in the middle', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":'),
    );
    const error = await failure(fetchJson(upstream.url, settings({ timeoutMs: 500 }), never));
    expect(error.code).toBe('timeout');
  });

  test('spends no more than the total time on tries and pauses', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) =>
      sendJson(response, {}, 500),
    );
    const error = await failure(
      fetchJson(
        upstream.url,
        settings({ totalTimeoutMs: 200, runtime: { ...realRuntime, random: () => 0.5 } }),
        never,
      ),
    );
    expect(error.code).toBe('timeout');
    expect(upstream.requests).toHaveLength(1);
  });

  test('closes the socket and rejects with the reason when aborted', async () => {
    const upstream = await startUpstream(onTestFinished, () => undefined);
    const controller = new AbortController();
    const arrived = upstream.nextRequest();
    const cut = upstream.nextCut();
    const request = fetchJson(upstream.url, settings(), controller.signal);
    await arrived;
    controller.abort(new Error('enough'));
    await expect(request).rejects.toThrow('enough');
    await cut;
  });

  test('sends nothing when already aborted', async () => {
    const upstream = await startUpstream(onTestFinished, ({ response }) => sendJson(response, {}));
    await expect(
      fetchJson(upstream.url, settings(), AbortSignal.abort(new Error('early'))),
    ).rejects.toThrow('early');
    expect(upstream.requests).toHaveLength(0);
  });
});
