import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { sendJson, startUpstream, type Answer } from '@signalbox/server-weather/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eras, inFull, type Json, type StdioPeer } from '../stdio-peer.test.support.ts';
import { newPlace, normal, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();

/** Milliseconds within which a cancelled call must have closed its sockets. */
const CANCEL_LIMIT_MS = inFull ? 250 : 2000;

describe.each(eras)('a %s client', (era) => {
  const current = async (location: string) =>
    (await fixture.peer(era)).call('weather_current', { location });
  const codeOf = ({ result }: { readonly result?: Json }) =>
    (result?.['_meta'] as { readonly [name: string]: Json } | undefined)?.['dev.signalbox/error'];
  /** Expects that one answer makes a call fail with this code. */
  const fails = async (answer: Answer, code: string) => {
    fixture.answer = answer;
    const outcome = await current(newPlace());
    expect([outcome.isError, codeOf(outcome)?.['code']]).toEqual([true, code]);
    return outcome;
  };

  test('WX-12 is told about the rate limit, which is no unknown location', async () => {
    const reason = 'Minutely API request limit exceeded. Please try again in one minute.';
    const outcome = await fails(
      ({ response }) => sendJson(response, { error: true, reason }, 429),
      'rate-limited',
    );
    expect(codeOf(outcome)).toMatchObject({ retryAfterSeconds: 60 });
    expect(outcome.text).toContain('rate limit');
    expect(fixture.requests()).toHaveLength(1);
  });

  test('WX-13 gets an answer after two failures, with growing pauses', async () => {
    const times: number[] = [];
    fixture.answer = (exchange) => {
      times.push(performance.now());
      return times.length < 3 ? sendJson(exchange.response, {}, 503) : normal(exchange);
    };
    expect((await current(newPlace())).isError).toBe(false);
    const [first = 0, second = 0, third = 0] = times;
    expect(times).toHaveLength(3);
    // Lower bounds of the pauses: on a loaded machine the shorter one can take as long as the other.
    expect(second - first).toBeGreaterThanOrEqual(195);
    expect(third - second).toBeGreaterThanOrEqual(795);
    expect(third - first).toBeLessThan(inFull ? 5000 : 60_000);
  });

  test('WX-14 is told about connections that break off', async () => {
    await fails(({ response }) => response.socket?.destroy(), 'invalid-response');
    expect(fixture.requests()).toHaveLength(3);
  });

  test('WX-15 is told about a page of HTML, and about damaged JSON', async () => {
    const { text } = await fails(
      ({ response }) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>captive portal</html>'),
      'invalid-response',
    );
    expect(text).toContain('unexpected content type');
    expect(text).not.toContain('captive');
    await fails(
      ({ response }) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
      'invalid-response',
    );
  });

  test('WX-16 no redirect is followed', async () => {
    const other = await startUpstream(onTestFinished, ({ response }) => sendJson(response, {}));
    await fails(
      ({ response }) => response.writeHead(302, { location: other.url.href }).end(),
      'invalid-response',
    );
    expect(other.requests).toEqual([]);
  });

  test('WX-17 a body of 200 MB, plain or compressed, is read up to 2 MiB', async () => {
    let sent = 0;
    const { text } = await fails(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(65_536, 32);
      const write = () => {
        while (sent < 200_000_000 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    }, 'invalid-response');
    expect(text).toContain('2097152 bytes');
    expect(sent).toBeLessThan(50_000_000);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 32));
    await fails(
      ({ response }) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(bomb),
      'invalid-response',
    );
    expect((await fixture.peer(era)).usage().peakMib).toBeLessThan(200);
  });

  test('WX-18 is told about a service that does not answer', async () => {
    const peer = inFull
      ? await fixture.peer(era)
      : await fixture.start(era, ['--timeout-ms', '200']);
    fixture.answer = () => undefined;
    const begun = performance.now();
    const outcome = await peer.call('weather_current', { location: newPlace() });
    expect([outcome.isError, codeOf(outcome)?.['code']]).toEqual([true, 'timeout']);
    expect(performance.now() - begun).toBeLessThan(12_000);
  });

  test.each([
    ['WX-19', 'weather_current', { location: '51.5,1' }],
    ['WX-27', 'weather_compare', { locations: ['51.6,1', '51.7,1', '51.8,1', '51.9,1'] }],
    ['WX-27', 'weather_history', { location: '51.4,1', start: '1990-01-01', end: '1999-12-31' }],
  ])('%s a cancelled %s closes its sockets', async (_case, tool, args) => {
    const peer = await fixture.peer(era);
    const arrived = fixture.upstream().nextRequest();
    fixture.answer = () => undefined;
    let id = 0;
    const options = { progressToken: `${tool} ${era}`, onId: (own: number) => (id = own) };
    void peer.call(tool, args, options);
    await arrived;
    const cut = fixture.upstream().nextCut();
    const took = await peer.timed(() => {
      peer.cancel(id);
      return cut;
    });
    expect(took).toBeLessThan(CANCEL_LIMIT_MS);
    await peer.request('tools/list');
    const progressed = peer.notifications.filter(
      ({ params }) => (params as Json | undefined)?.['progressToken'] === `${tool} ${era}`,
    );
    expect([progressed, peer.hasAnswerPending(id)]).toEqual([[], true]);
  });

  test('WX-20 equal calls share one request, and cached values are marked', async () => {
    const peer = await fixture.start(era);
    const call = (location: string) => peer.call('weather_current', { location });
    await call('Berlin');
    const before = fixture.requests().length;
    for (const location of ['Berlin', 'berlin '])
      expect((await call(location)).structured).toMatchObject({
        cache: { hit: true, ageSeconds: expect.any(Number) as number, stale: false },
      });
    expect(fixture.requests().length).toBe(before);
    const storm = await Promise.all(Array.from({ length: 100 }, () => call('Hamburg')));
    expect(storm.filter(({ isError }) => isError)).toEqual([]);
    const paths = fixture
      .requests()
      .slice(before)
      .map(({ pathname }) => pathname);
    expect(paths).toEqual(['/v1/search', '/v1/forecast']);
  });

  test.runIf(process.platform === 'linux')('WX-20 a cached value takes 2 ms', async () => {
    const peer = await fixture.peer(era);
    const location = newPlace();
    const call = () => peer.call('weather_current', { location });
    await call();
    const calls = inFull ? 1000 : 200;
    const before = peer.usage().cpuMs;
    for (let count = 0; count < calls; count += 1)
      expect((await call()).structured).toMatchObject({ cache: { hit: true } });
    // Processor time of the server, which other programs on this machine do not lengthen.
    expect((peer.usage().cpuMs - before) / calls).toBeLessThan(2);
  });

  test('WX-21 gets an old value, marked, while the service cannot be reached', async () => {
    const upstream = await startUpstream(onTestFinished, normal);
    const cache = path.join(fixture.folder, `cache-${era}`);
    const urls = Object.fromEntries(
      Object.keys(fixture.env()).map((variable) => [variable, upstream.url.href]),
    );
    const start = (...args: readonly string[]) =>
      fixture.start(era, ['--cache-dir', cache, ...args], { env: urls });
    const call = (peer: StdioPeer, location: string) => peer.call('weather_current', { location });
    expect((await call(await start(), 'Berlin')).structured).toMatchObject({
      cache: { hit: false },
    });
    expect((await call(await start('--offline'), 'Berlin')).structured).toMatchObject({
      cache: { hit: true, stale: false },
    });
    for (const name of readdirSync(cache)) {
      const file = path.join(cache, name);
      const entry = JSON.parse(readFileSync(file, 'utf8')) as { readonly storedAt: number };
      writeFileSync(file, JSON.stringify({ ...entry, storedAt: entry.storedAt - 3_600_000 }));
    }
    upstream.stop();
    const peer = await start();
    const { structured, text } = await call(peer, 'Berlin');
    expect(structured).toMatchObject({ temperature: 3.4, cache: { hit: true, stale: true } });
    expect((structured['cache'] as Json)['ageSeconds']).toBeGreaterThanOrEqual(3600);
    expect(text).toContain('60 minutes old');
    const unknown = await call(peer, 'Rom');
    expect([unknown.isError, unknown.text, codeOf(unknown)?.['code']]).toEqual([
      true,
      expect.stringContaining('offline'),
      'network',
    ]);
  });

  test('WX-26 compares ten places two at a time, with progress, and one failure apart', async () => {
    let [open, most] = [0, 0];
    fixture.answer = (exchange) => {
      const { url, response } = exchange;
      most = Math.max(most, (open += 1));
      response.once('close', () => (open -= 1));
      setTimeout(() => {
        if (url.searchParams.get('name') === 'Bad') sendJson(response, {}, 500);
        else normal(exchange);
      }, 100);
    };
    const peer = await fixture.peer(era);
    const locations = ['A', 'B', 'C', 'Bad', 'E', 'F', 'G', 'H', 'I', 'J'];
    const { structured } = await peer.call(
      'weather_compare',
      { locations },
      { progressToken: 'p' },
    );
    expect(structured['results']).toMatchObject(
      locations.map((query) =>
        query === 'Bad'
          ? { query, ok: false, error: { code: 'unavailable' } }
          : { query, ok: true },
      ),
    );
    const progress = peer.notifications
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => params as { readonly progress: number; readonly total: number })
      .filter(({ total }) => total === 10)
      .map(({ progress: done }) => done);
    expect(progress.length).toBeGreaterThanOrEqual(5);
    expect(progress).toEqual([...new Set(progress)].toSorted((a, b) => a - b));
    expect([progress.at(-1), most]).toEqual([10, 2]);
  });

  test('WX-34 no URL of an answer leads to another server', async () => {
    const other = await startUpstream(onTestFinished, ({ response }) => sendJson(response, {}));
    fixture.answer = ({ response }) =>
      sendJson(response, {
        properties: { forecast: `${other.url.href}gridpoints/X/1,1/forecast` },
      });
    const latitude = era === 'legacy' ? 41.5 : 42.5;
    const outcome = await (
      await fixture.peer(era)
    ).call('get_forecast', { latitude, longitude: -90 });
    expect([outcome.isError, codeOf(outcome)?.['code']]).toEqual([true, 'invalid-response']);
    expect(other.requests).toEqual([]);
  });
});
