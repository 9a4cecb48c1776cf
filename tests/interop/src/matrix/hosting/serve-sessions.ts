import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { SequentialEvents } from './sequential-events.ts';
import type { Serve } from './host-http.ts';

/** Options of the transports of both official SDKs. */
export interface SessionTransportOptions {
  readonly sessionIdGenerator: () => string;
  readonly onsessioninitialized: (sessionId: string) => void;
  readonly onsessionclosed: (sessionId: string) => void;
  readonly eventStore: SequentialEvents;
  readonly retryInterval: number;
}

interface SessionTransport {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Manages the sessions of an official SDK; `open` creates a connected transport. */
export function serveSessions(
  open: (options: SessionTransportOptions) => Promise<SessionTransport>,
): { readonly serve: Serve; readonly forgetSessions: () => void } {
  const sessions = new Map<string, SessionTransport>();
  const serve: Serve = async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(String(id));
    if (known !== undefined) return known.handleRequest(request, response);
    if (id !== undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport: SessionTransport = await open({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (sessionId) => void sessions.set(sessionId, transport),
      onsessionclosed: (sessionId) => void sessions.delete(sessionId),
      eventStore: new SequentialEvents(),
      retryInterval: 20,
    });
    return transport.handleRequest(request, response);
  };
  return { serve, forgetSessions: () => sessions.clear() };
}
