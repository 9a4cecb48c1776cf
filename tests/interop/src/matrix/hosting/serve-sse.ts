import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Serve } from './host-http.ts';

interface SseTransport {
  readonly sessionId: string;
  handlePostMessage(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * Serves HTTP+SSE with an official SDK: the stream at `/sse`, messages at `/messages`; `open`
 * creates a connected transport.
 */
export function serveSse(
  open: (messagesPath: string, response: ServerResponse) => Promise<SseTransport>,
): Serve {
  const connections = new Map<string, SseTransport>();
  return async (request, response) => {
    const { pathname, searchParams } = new URL(String(request.url), 'http://localhost');
    if (request.method === 'GET' && pathname === '/sse') {
      const transport = await open('/messages', response);
      connections.set(transport.sessionId, transport);
      response.once('close', () => connections.delete(transport.sessionId));
      return;
    }
    const connection = connections.get(String(searchParams.get('sessionId')));
    if (request.method === 'POST' && pathname === '/messages' && connection !== undefined)
      return connection.handlePostMessage(request, response);
    response.writeHead(pathname === '/sse' ? 405 : 404).end();
  };
}
