import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Serves a call over stdio, loads the entries of a host over HTTP, connects without a challenge, and is refused with 401. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ resolve: (specifier, context, next) => { const result = next(specifier, context); loaded.push(result.url); return result; } });
const entry = (name) => import(new URL(name + '/index.ts', process.argv[1]).href);
const { createServer, defineTool } = await entry('server');
const { serveStdio } = await entry('stdio');
const { PassThrough } = await import('node:stream');
const info = { name: 'test', version: '1' };
const echo = defineTool({ name: 'echo', inputSchema: { type: 'object' }, handler: () => 'answer' });
const [input, output] = [new PassThrough(), new PassThrough()];
const stdio = await serveStdio(createServer({ info, tools: [echo] }), { input, output });
const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
input.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {}, _meta } }) + '\\n');
const [answer] = await (await import('node:events')).once(output, 'data');
await stdio.close();
const { connectClient } = await entry('client');
const { httpTransport } = await entry('http/client');
const hostOnly = loaded.slice();
const { createClientAuthorization } = await entry('auth');
const { serveHttp } = await entry('http/server');
const listener = await serveHttp(createServer({ info }));
const authorization = createClientAuthorization();
const client = await connectClient(() => httpTransport({ url: listener.url, authorization }), { info });
await client.close();
await listener.close();
const request = { server: 'http://127.0.0.1:1/mcp', method: 'POST', url: 'http://127.0.0.1:1/mcp', sent: {}, attempt: 0, responseHeaders: {} };
const before = loaded.slice();
await authorization.refused({ ...request, status: 401 }).catch(() => undefined);
process.stdout.write(JSON.stringify({ answer: [String(answer)], hostOnly, before, after: loaded }));
`;

test('a call over stdio and a client without a challenge load no code of the authorization; the first 401 does', async () => {
  const sources = new URL('../', import.meta.url).href;
  const { stdout } = await run(process.execPath, [
    '--conditions=@signalbox/source',
    '--input-type=module',
    '--eval',
    PROGRAM,
    sources,
  ]);
  const { answer, hostOnly, before, after } = JSON.parse(stdout) as {
    readonly [moment: string]: readonly string[];
  };
  const ofAuth = (urls: readonly string[] = []): readonly string[] =>
    [...new Set(urls)].filter((url) =>
      /oauth4webapi|\/jose\/|\/src\/auth\/|\/addresses\//u.test(url),
    );
  expect(answer?.join('')).toContain('"text":"answer"');
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
  const later = /device-flow|browser-login|revocation|\/jose\//u;
  expect((after ?? []).filter((url) => later.test(url))).toEqual([]);
});
