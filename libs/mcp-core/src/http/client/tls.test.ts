import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { modernRequest, openTransport, until } from './scripted-http-server.test.support.ts';

/** A self-signed test certificate for `localhost`, valid until 2120. */
const KEY = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f3nVZUE9OmEmJS7Ti200AngRUqZ0YgttLOV7jztoquQ',
    y: 'J1WZwK3Y0CKcDxpm8uGJM__f1OF0GhlG3veINqZ1UmM',
    d: 'jOW-ComNBUy0KcSG4l3CH7OHS3y74Hd4Yn6tYewc1oU',
  },
}).export({ type: 'pkcs8', format: 'pem' });
const CERTIFICATE = new X509Certificate(
  Buffer.from(
    'MIIBYzCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM' +
      'CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH951WVBPTphJiUu04ttNAJ4EVKmdGILbSzle487aKrkJ1WZwK3Y0CKcDxpm8uGJM//f1OF0GhlG3veI' +
      'NqZ1UmOjSzBJMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAMBgNVHRMEBTADAQH/MB0GA1UdDgQWBBS0Eza3hqFLd9Uz+iDWQI1O78eOVTAKBggqhkjOPQQDAgNH' +
      'ADBEAiBxNzFJ1QOX/hCujm+z1K1oba5/OltVYIk7W9KtrzwxEAIgX2kSzzdwqysqFfeb8zd6p15c6u4BDs1+72WuGfAEUWQ=',
    'base64',
  ),
).toString();

const trusted = getCACertificates('default');
afterAll(() => {
  setDefaultCACertificates(trusted);
});

async function secureServer(): Promise<{
  readonly url: string;
  readonly requests: () => number;
  readonly connections: () => number;
}> {
  let requests = 0;
  let connections = 0;
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":${requests},"result":{}}`),
    );
  });
  server.on('secureConnection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/mcp`,
    requests: () => requests,
    connections: () => connections,
  };
}

test('nothing is sent to a server with an untrusted certificate', async () => {
  const server = await secureServer();
  const { transport, failures } = await openTransport({
    url: server.url,
    headers: { Authorization: 'Bearer secret' },
  });
  await expect(transport.send(modernRequest(1, 'tools/list'))).rejects.toMatchObject({
    code: 'connection-lost',
    sent: false,
  });
  expect(failures).toEqual([]);
  expect(server.requests()).toBe(0);
});

test('a server with a trusted certificate is used over one connection', async () => {
  setDefaultCACertificates([...trusted, CERTIFICATE]);
  const server = await secureServer();
  const { transport, messages } = await openTransport({ url: server.url });
  for (const id of [1, 2, 3]) {
    await transport.send(modernRequest(id, 'tools/list'));
    await until(() => messages.length === id);
  }
  expect(server.connections()).toBe(1);
});
