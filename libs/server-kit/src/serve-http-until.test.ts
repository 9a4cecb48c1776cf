import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  initialize,
  outcome,
  startServer,
  type StartServerOptions,
} from './kit-process.test.support.ts';
import { msUntilEnd } from './testing/ms-until-end.ts';

async function listening(
  members = '',
  { args = ['--http', '0'], env = {} }: StartServerOptions = {},
) {
  const child = startServer(members, { args, env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, found] = /^kit: serving (http:\S+)$/m.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the server ended before it listened: ${output}`)));
  });
  return { child, url, output: () => output };
}

describe('runServer with --http', () => {
  test.each(['legacy', 'modern'] as const)('serves the %s era on 127.0.0.1', async (era) => {
    const { url } = await listening(
      `start: async () => ({ server: server(tool('hello', () => ({ structuredContent: { hello: 1 } }))) }),`,
    );
    const client = await connectClient(() => httpTransport({ url }), {
      info: { name: 'test', version: '1' },
      era,
    });
    onTestFinished(() => client.close());
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(await client.callTool('hello', {})).toMatchObject({ structuredContent: { hello: 1 } });
  });

  test('refuses web pages of other origins and names it is not known by', async () => {
    const { url } = await listening();
    const post = (headers: { readonly [name: string]: string }) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(initialize),
      });
    expect((await post({ origin: 'https://example.org' })).status).toBe(403);
    expect((await post({})).status).toBe(200);
  });

  test('requires the token of MCP_HTTP_TOKEN, which appears in no output', async () => {
    const { child, url, output } = await listening('', {
      args: ['--http', '0.0.0.0:0', '--log-level', 'debug'],
      env: { MCP_HTTP_TOKEN: 'secret-token' },
    });
    const address = url.replace('0.0.0.0', '127.0.0.1');
    const post = (headers: { readonly [name: string]: string }) =>
      fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(initialize),
      });
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post({ authorization: 'Bearer secret-token' })).status).toBe(200);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(output()).toContain('kit: serving');
    expect(output()).not.toContain('secret-token');
  });

  test('does not end with stdin, and within a second on SIGTERM with an open stream and a running call', async () => {
    const hang = `tool('hang', (_args, context) => { context.log('info', 'running'); return new Promise(() => setInterval(() => undefined, 1000)); })`;
    const { child, url } = await listening(`start: async () => ({ server: server(${hang}) }),`);
    child.stdin.end();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const opened = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) });
    const session = {
      ...headers,
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    };
    await opened.text();
    await fetch(url, {
      method: 'POST',
      headers: session,
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    });
    const stream = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } });
    expect(stream.status).toBe(200);
    const call = await fetch(url, {
      method: 'POST',
      headers: session,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'hang', arguments: {} },
      }),
    });
    expect(call.status).toBe(200);
    const ended = msUntilEnd(child);
    child.kill('SIGTERM');
    expect(await ended).toBeLessThan(1000);
    expect(child.exitCode).toBe(0);
  });

  test('reports the problem of an address', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const said = async (http: string, env: NodeJS.ProcessEnv = {}) =>
      (await outcome(startServer('', { args: ['--http', http], env }))).stderr;
    expect(await said(String(port))).toBe(
      `kit: --http ${port}: the port is in use; choose another, or 0 for any free one (see kit --help)\n`,
    );
    expect(await said('192.0.2.1:0', { MCP_HTTP_TOKEN: 'x' })).toContain(
      'this machine has no such address',
    );
    expect(await said('0.0.0.0:0')).toContain('set MCP_HTTP_TOKEN to a secret');
    expect(await said('everywhere')).toContain('--http must be a port or host:port');
  });

  test('over stdio no code of HTTP is loaded', async () => {
    const child = startServer(
      `start: async () => { process.stderr.write(String(process.moduleLoadList.some((name) => name === 'NativeModule http'))); return { server: server() }; },`,
    );
    child.stdin.end();
    expect(await outcome(child)).toMatchObject({ stderr: 'false', code: 0 });
  });
});
