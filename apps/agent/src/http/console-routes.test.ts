import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge, type EdgeOptions, type ServiceEdge } from './testing/service-edge.ts';

const SCRIPT = 'console.log(1)';

/** Creates a console of three files. Returns its folder. */
async function consoleFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<title>Signalbox</title>');
  await writeFile(join(folder, 'assets/main-1.js'), SCRIPT);
  await writeFile(join(folder, 'assets/main-1.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder, 'secret.json'), '{}');
  return folder;
}

/** The REST server with a console. */
async function edgeWithConsole(options: EdgeOptions = {}): Promise<ServiceEdge> {
  const service = await openService({ script: () => ({ text: 'done' }) });
  return createServiceEdge(service, { consoleFolder: await consoleFolder(), ...options });
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test.each(['/', '/runs', '/runs/01a2', '/inbox/a/b?tab=1', '/servers/x%2Fy'])(
  'the page is at %s for a browser',
  async (path) => {
    const edge = await edgeWithConsole();
    const response = await edge.request('GET', path, { headers: BROWSER });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    expect(response.body).toBe('<title>Signalbox</title>');
  },
);

test('the policy allows neither inline scripts nor other hosts', async () => {
  const edge = await edgeWithConsole();
  const { headers } = await edge.request('GET', '/');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test('a file with a hash in its name is kept for ever, in the encoding that the client accepts', async () => {
  const edge = await edgeWithConsole();
  const plain = await edge.request('GET', '/assets/main-1.js');
  expect(plain.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  });
  expect(plain.body).toBe(SCRIPT);
  const zipped = await edge.request('GET', '/assets/main-1.js', {
    headers: { 'accept-encoding': 'br, gzip' },
  });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(SCRIPT);
  const refused = await edge.request('GET', '/assets/main-1.js', {
    headers: { 'accept-encoding': 'gzip;q=0, identity' },
  });
  expect(refused.headers['content-encoding']).toBeUndefined();
});

test('a file that the browser has is not sent again', async () => {
  const edge = await edgeWithConsole();
  const { headers } = await edge.request('GET', '/');
  const again = await edge.request('GET', '/', {
    headers: { 'if-none-match': String(headers.etag) },
  });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe('');
});

test('a console that is built again is served without a restart', async () => {
  const folder = await consoleFolder();
  const edge = await edgeWithConsole({ consoleFolder: folder });
  await edge.request('GET', '/');
  await writeFile(join(folder, 'index.html'), '<title>Second</title>');
  await writeFile(join(folder, 'assets/main-2.js'), SCRIPT);
  await rm(join(folder, 'assets/main-1.js'));
  await rm(join(folder, 'assets/main-1.js.gz'));
  expect((await edge.request('GET', '/')).body).toBe('<title>Second</title>');
  expect((await edge.request('GET', '/assets/main-2.js')).body).toBe(SCRIPT);
  const gone = await edge.request('GET', '/assets/main-1.js', {
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(gone.statusCode).toBe(404);
});

test('files need no token, and the API does', async () => {
  const edge = await edgeWithConsole({ token: 'secret-token' });
  for (const path of ['/', '/runs/1', '/assets/main-1.js'])
    expect((await edge.request('GET', path, { headers: BROWSER })).statusCode).toBe(200);
  for (const path of ['/v1/runs', '/openapi.json', '/none'])
    expect((await edge.request('GET', path, { headers: BROWSER })).statusCode).toBe(401);
});

test('programs get no page, and paths of the API, unknown and foreign files no file', async () => {
  const edge = await edgeWithConsole();
  const missing = [
    { path: '/runs/01a2', headers: { accept: 'application/json' } },
    { path: '/v1/none', headers: BROWSER },
    { path: '/none', headers: BROWSER },
    { path: '/assets/none.js', headers: BROWSER },
    { path: '/assets/main-1.js.gz', headers: BROWSER },
    { path: '/assets/..%2Fsecret.json', headers: BROWSER },
    { path: '/assets/..%2Findex.html', headers: BROWSER },
  ];
  for (const { path, headers } of missing) {
    const response = await edge.request('GET', path, { headers });
    expect([path, response.statusCode, response.json<{ code: string }>().code]).toEqual([
      path,
      404,
      'route_not_found',
    ]);
  }
  expect((await edge.request('POST', '/runs/01a2')).statusCode).toBe(405);
});

test('a folder without a page is no console', async () => {
  const edge = await edgeWithConsole({ consoleFolder: join(tmpdir(), 'no-such-folder') });
  expect((await edge.request('GET', '/', { headers: BROWSER })).statusCode).toBe(404);
});
