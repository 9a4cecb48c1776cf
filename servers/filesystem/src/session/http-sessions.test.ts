import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTemporaryFolders, type TemporaryFolders } from '@signalbox/file-sandbox/testing';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { expect, onTestFinished, test } from 'vitest';
import { serveFolders } from '../testing/connect-to-server.ts';

async function serveOverHttp(folders: TemporaryFolders): Promise<string> {
  const served = await serveFolders({ directories: [folders.root] });
  const listener = await serveHttp(served.filesystem.server, { port: 0 });
  onTestFinished(async () => {
    await listener.close();
    await served[Symbol.asyncDispose]();
  });
  return listener.url;
}

async function connect(
  url: string,
  options: { readonly era: 'legacy' | 'modern'; readonly root: string },
): Promise<Client> {
  const listRoots = () => Promise.resolve([{ uri: pathToFileURL(options.root).href }]);
  const client = await connectClient(() => httpTransport({ url }), {
    info: { name: 'test', version: '1' },
    era: options.era,
    handlers: { listRoots },
  });
  onTestFinished(() => client.close());
  return client;
}

async function allowed(client: Client): Promise<unknown> {
  const { structuredContent } = await client.callTool('list_allowed_directories', {});
  return (structuredContent as { readonly directories: unknown }).directories;
}

test('each legacy session has the roots of its client, a modern request the directories of the command line', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a/x.txt': 'A', 'b/x.txt': 'B' } });
  const url = await serveOverHttp(folders);
  const [a, b] = [path.join(folders.root, 'a'), path.join(folders.root, 'b')];
  const [first, second, modern] = await Promise.all([
    connect(url, { era: 'legacy', root: a }),
    connect(url, { era: 'legacy', root: b }),
    connect(url, { era: 'modern', root: a }),
  ]);
  expect(await Promise.all([allowed(first), allowed(second), allowed(modern)])).toEqual([
    [a],
    [b],
    [folders.root],
  ]);
  expect(await first.callTool('read_text_file', { path: path.join(b, 'x.txt') })).toMatchObject({
    isError: true,
  });
});

test('a client without its own stream gets requests on the stream of its call', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a/x.txt': 'A' } });
  const url = await serveOverHttp(folders);
  const a = path.join(folders.root, 'a');
  const headers: { [name: string]: string } = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (message: object) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { roots: {} },
    clientInfo: { name: 'curl', version: '1' },
  };
  const opened = await post({ id: 1, method: 'initialize', params });
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  await opened.text();
  await post({ method: 'notifications/initialized' });
  const call = await post({
    id: 2,
    method: 'tools/call',
    params: { name: 'list_allowed_directories', arguments: {} },
  });
  let text = '';
  for await (const chunk of call.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const question =
      /"id":("?[^",]+"?),"method":"roots\/list"|"method":"roots\/list".*?"id":("?[^",}]+"?)/.exec(
        text,
      );
    if (question === null || text.includes('directories')) continue;
    const id = JSON.parse(question[1] ?? question[2] ?? 'null') as string;
    await post({ id, result: { roots: [{ uri: pathToFileURL(a).href }] } });
  }
  expect(text).toContain(`"directories":[${JSON.stringify(a)}]`);
});
