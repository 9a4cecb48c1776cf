import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Loads the entries of a host over HTTP, is refused with 403, and then with 401. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ resolve: (specifier, context, next) => { const result = next(specifier, context); loaded.push(result.url); return result; } });
const entry = (name) => import(new URL(name + '/index.ts', process.argv[1]).href);
await entry('server');
await entry('stdio');
const beside = loaded.length;
const { connectClient } = await entry('client');
const { httpTransport } = await entry('http/client');
const hostOnly = loaded.slice();
const { createClientAuthorization } = await entry('auth');
const { createServer } = await entry('server');
const { serveHttp } = await entry('http/server');
const info = { name: 'test', version: '1' };
const listener = await serveHttp(createServer({ info }));
const authorization = createClientAuthorization();
const client = await connectClient(() => httpTransport({ url: listener.url, authorization }), { info });
await client.close();
await listener.close();
const request = { server: 'http://127.0.0.1:1/mcp', method: 'POST', url: 'http://127.0.0.1:1/mcp', sent: {}, attempt: 0, responseHeaders: {} };
const before = loaded.slice();
await authorization.refused({ ...request, status: 401 }).catch(() => undefined);
process.stdout.write(JSON.stringify({ hostOnly, before, after: loaded }));
`;

test('a stdio start and a client without a challenge load no code of the authorization; the first 401 does', async () => {
  const sources = new URL('../', import.meta.url).href;
  const { stdout } = await run(process.execPath, [
    '--conditions=@signalbox/source',
    '--input-type=module',
    '--eval',
    PROGRAM,
    sources,
  ]);
  const { hostOnly, before, after } = JSON.parse(stdout) as {
    readonly [moment: string]: readonly string[];
  };
  const ofAuth = (urls: readonly string[] = []): readonly string[] =>
    [...new Set(urls)].filter((url) => /oauth4webapi|\/src\/auth\/|\/addresses\//u.test(url));
  expect(ofAuth(hostOnly)).toEqual([]);
  expect(new Set(ofAuth(before).map((url) => url.split('/').at(-1)))).toEqual(
    new Set([
      'authorization-error.ts',
      'check-urls.ts',
      'client-authorization.ts',
      'index.ts',
      'login.ts',
      'token-store.ts',
    ]),
  );
  expect(ofAuth(after)).toEqual(
    expect.arrayContaining([expect.stringContaining('oauth4webapi') as string]),
  );
});
