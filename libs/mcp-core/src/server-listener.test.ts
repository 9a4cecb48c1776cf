import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { serveHttp } from './http/server/serve-http.ts';
import { createServer } from './server/create-server.ts';
import type { Server, ServerListener } from './server/server.ts';
import { serveStdio } from './stdio/serve-stdio.ts';

const streams = () => ({ input: new PassThrough(), output: new PassThrough() });

test.each<[string, (server: Server) => Promise<ServerListener>]>([
  ['serveStdio', (server) => serveStdio(server, streams())],
  ['serveHttp', (server) => serveHttp(server)],
])('the listener of %s reports its end by closed, once', async (_name, serve) => {
  const server = createServer({ info: { name: 'test', version: '1' }, tools: [] });
  const stopped: string[] = [];
  const stopTasks = server.stopTasks.bind(server);
  server.stopTasks = async () => {
    await stopTasks();
    stopped.push('tasks');
  };
  const listener = await serve(server);
  const closed = listener.closed.then(() => stopped.push('closed'));
  await Promise.all([listener.close(), listener.close()]);
  await closed;
  expect(stopped).toEqual(['tasks', 'closed']);
});
