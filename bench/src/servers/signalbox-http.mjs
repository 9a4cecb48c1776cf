import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { listen, mode, tools } from './listen.mjs';
import { makeServer } from './make-signalbox.mjs';

const handler = createHttpHandler(makeServer(tools), { path: '/mcp', ...sessionOptions() });
listen((request, response) => {
  handler.handle(request, response);
});

/** @returns {Pick<import('@signalbox/mcp-core/http/server').HttpHandlerOptions, 'sessions'>} */
function sessionOptions() {
  if (mode === 'stateless') return { sessions: false };
  return mode === 'sessions without event store' ? { sessions: { eventStore: false } } : {};
}
