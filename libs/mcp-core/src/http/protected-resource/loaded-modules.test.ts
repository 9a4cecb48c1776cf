import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Serves over stdio and HTTP without authorization, then protects a server, then gets a token. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ resolve: (specifier, context, next) => { const result = next(specifier, context); loaded.push(result.url); return result; } });
const entry = (name) => import(new URL(name + '/index.ts', process.argv[1]).href);
const { createServer } = await entry('server');
const { serveStdio } = await entry('stdio');
const { serveHttp } = await entry('http/server');
const { PassThrough } = await import('node:stream');
const server = () => createServer({ info: { name: 'test', version: '1' } });
const post = async ({ url }, headers = {}) => (await fetch(url, { method: 'POST', headers })).status;
const stdio = await serveStdio(server(), { input: new PassThrough(), output: new PassThrough() });
await stdio.close();
const open = await serveHttp(server(), { access: { bearerToken: 'secret' } });
const unprotected = [await post(open), await post(open, { authorization: 'Bearer secret' })];
await open.close();
const without = loaded.slice();
const { protectedResource } = await entry('http/protected-resource');
const authenticate = protectedResource({ issuer: 'http://127.0.0.1:1', resource: 'http://127.0.0.1:1/mcp' });
const listener = await serveHttp(server(), { access: { authenticate }, onError: () => undefined });
const first = await post(listener);
const before = loaded.slice();
const second = await post(listener, { authorization: 'Bearer a.b.c' });
await listener.close();
process.stdout.write(JSON.stringify({ statuses: [...unprotected, first, second], without, before, after: loaded }));
`;

test('a start over stdio and one over HTTP without authorization load nothing of it; the first token loads jose', async () => {
  const { stdout } = await run(process.execPath, [
    '--conditions=@signalbox/source',
    '--input-type=module',
    '--eval',
    PROGRAM,
    new URL('../../', import.meta.url).href,
  ]);
  const { statuses, without, before, after } = JSON.parse(stdout) as {
    readonly statuses: readonly number[];
    readonly [moment: string]: readonly unknown[];
  };
  const matching = (urls: readonly unknown[] = [], pattern: RegExp): readonly unknown[] =>
    urls.filter((url) => pattern.test(String(url)));
  expect(statuses).toEqual([401, 415, 401, 401]);
  expect(matching(without, /\/jose\/|oauth4webapi|\/src\/auth\/|\/protected-resource\//u)).toEqual(
    [],
  );
  expect(matching(before, /\/jose\/|oauth4webapi|guarded-fetch|resource-access/u)).toEqual([]);
  expect(matching(after, /\/jose\//u)).not.toEqual([]);
  expect(matching(after, /oauth4webapi/u)).toEqual([]);
});
