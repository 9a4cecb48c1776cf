import { once } from 'node:events';
import { get } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { AddressGuard, type Resolve } from '@signalbox/mcp-core/http/addresses';
import { postWebhook, type WebhookOutcome } from './post-webhook.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './testing/certificate.ts';
import { startEndpoint } from './testing/endpoint.ts';

const LOOPBACK = new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] });

function post(
  url: string,
  {
    guard = LOOPBACK,
    clock = new ManualClock(),
    signal = new AbortController().signal,
  }: {
    readonly guard?: Pick<AddressGuard, 'addressesOf'>;
    readonly clock?: ManualClock;
    readonly signal?: AbortSignal;
  } = {},
): Promise<WebhookOutcome> {
  const request = { url, headers: { 'webhook-id': 'r1:1' }, body: '{"a":"ä"}' };
  return postWebhook(request, { guard, clock, timeoutMs: 15_000, signal });
}

test('a request has the body and headers, and its outcome is the status', async () => {
  const endpoint = await startEndpoint({
    answer: (response) => void response.writeHead(503, { 'retry-after': '7' }).end('later'),
  });
  const outcome = await post(`http://127.0.0.1:${endpoint.port}/hook?key=1`);
  expect(outcome).toEqual({ status: 503, retryAfterMs: 7000 });
  expect(endpoint.received).toEqual([
    {
      path: '/hook?key=1',
      body: '{"a":"ä"}',
      headers: expect.objectContaining({
        'webhook-id': 'r1:1',
        'content-type': 'application/json',
        'content-length': '10',
        connection: 'close',
      }) as object,
    },
  ]);
});

test('a redirect is not followed', async () => {
  const secret = await startEndpoint();
  const endpoint = await startEndpoint({
    answer: (response) =>
      void response.writeHead(307, { location: `http://127.0.0.1:${secret.port}/` }).end(),
  });
  expect(await post(`http://127.0.0.1:${endpoint.port}/`)).toEqual({ status: 307 });
  expect(secret.received).toEqual([]);
});

test('an endpoint that does not answer has 15 seconds, and one that sends without end stops counting at 64 KiB', async () => {
  const clock = new ManualClock();
  const silent = await startEndpoint({ answer: () => clock.advance(15_000) });
  expect(await post(`http://127.0.0.1:${silent.port}/`, { clock })).toEqual({
    error: 'no response within 15000 ms',
  });
  const endless = await startEndpoint({
    answer: (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
    },
  });
  expect(await post(`http://127.0.0.1:${endless.port}/`)).toEqual({ status: 200 });
  const hanging = await startEndpoint({
    answer: (response) => {
      response.writeHead(200).write('x');
      setImmediate(() => setImmediate(() => clock.advance(15_000)));
    },
  });
  // The head may arrive before the time is over; in either case the request ends.
  const { status } = await post(`http://127.0.0.1:${hanging.port}/`, { clock });
  expect([200, undefined]).toContain(status);
});

test('a resolver that does not answer has the same time, and a failure names no address', async () => {
  const clock = new ManualClock();
  const guard = new AddressGuard({
    resolve: () => {
      clock.advance(15_000);
      return new Promise<never>(() => undefined);
    },
  });
  expect(await post('https://example.com/', { guard, clock })).toEqual({
    error: 'no response within 15000 ms',
  });
  const closed = await startEndpoint({ answer: (response) => void response.destroy() });
  expect(await post(`http://127.0.0.1:${closed.port}/`)).toEqual({
    error: 'the request failed (ECONNRESET)',
  });
});

test('an aborted request rejects', async () => {
  const controller = new AbortController();
  const endpoint = await startEndpoint({ answer: () => controller.abort(new Error('closing')) });
  await expect(
    post(`http://127.0.0.1:${endpoint.port}/`, { signal: controller.signal }),
  ).rejects.toThrow('closing');
});

test('the certificate of an endpoint must be trusted and belong to the name, though the connection goes to the checked address', async () => {
  const names: string[] = [];
  const server = createServer(
    {
      key: CERTIFICATE_KEY,
      cert: CERTIFICATE,
      SNICallback: (name, callback) => {
        names.push(name);
        callback(null);
      },
    },
    (request, response) => {
      request.resume();
      response.writeHead(204).end();
    },
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const guard = new AddressGuard({
    allowedNetworks: ['127.0.0.1'],
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  const outcome = (host: string) => post(`https://${host}:${port}/`, { guard });
  expect(await outcome('hooks.test')).toEqual({
    error: 'the request failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
  });
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, CERTIFICATE]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  expect(await outcome('hooks.test')).toEqual({ status: 204 });
  expect(await outcome('other.test')).toEqual({
    error: 'the request failed (ERR_TLS_CERT_ALTNAME_INVALID)',
  });
  expect(names).toEqual(['hooks.test', 'hooks.test', 'other.test']);
});

/** Resolves a name to an allowed address first, and to an address that is not allowed from then on. */
function rebinding(): { readonly resolve: Resolve; readonly guard: AddressGuard } {
  let isFirst = true;
  const resolve: Resolve = () => {
    const address = isFirst ? '127.0.0.2' : '127.0.0.1';
    isFirst = false;
    return Promise.resolve([{ address, family: 4 }]);
  };
  return { resolve, guard: new AddressGuard({ allowedNetworks: ['127.0.0.2'], resolve }) };
}

test('a name that is resolved to an internal address after the check does not lead the request there', async () => {
  const allowed = await startEndpoint({ host: '127.0.0.2' });
  const internal = await startEndpoint({ port: allowed.port });
  const { guard } = rebinding();
  const url = `http://rebinding.test:${allowed.port}/`;
  expect(await post(url, { guard })).toEqual({ status: 204 });
  expect([allowed.received.length, internal.received.length]).toEqual([1, 0]);
  expect(allowed.received[0]?.headers.host).toBe(`rebinding.test:${allowed.port}`);
  expect(await post(url, { guard })).toMatchObject({
    error: expect.stringContaining('has an address that is not public') as string,
  });
  expect([allowed.received.length, internal.received.length]).toEqual([1, 0]);
});

test('control: a name that is resolved again for the connection leads it to the internal address', async () => {
  const allowed = await startEndpoint({ host: '127.0.0.2' });
  const internal = await startEndpoint({ port: allowed.port });
  const { guard, resolve } = rebinding();
  const url = `http://rebinding.test:${allowed.port}/`;
  await guard.addressesOf(url);
  const [again] = await resolve('rebinding.test');
  const sent = get(url, {
    agent: false,
    lookup: (_host, _options, callback) => callback(null, again === undefined ? [] : [again]),
  });
  await once(sent, 'response');
  expect([allowed.received.length, internal.received.length]).toEqual([0, 1]);
});

test('control: without the check the request reaches the internal address', async () => {
  const internal = await startEndpoint();
  const guard = {
    addressesOf: () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]),
  };
  await post(`http://example.com:${internal.port}/`, { guard });
  expect(internal.received).toHaveLength(1);
  await post(`http://127.0.0.1:${internal.port}/`, { guard: new AddressGuard() });
  expect(internal.received).toHaveLength(1);
});
