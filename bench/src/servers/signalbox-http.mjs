import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { listen, mode, tools } from './listen.mjs';
import { makeServer } from './make-signalbox.mjs';

const handler = createHttpHandler(makeServer(tools), {
  path: '/mcp',
  ...(mode === 'stateless' ? { sessions: false } : {}),
});
listen((request, response) => {
  handler.handle(request, response);
});
