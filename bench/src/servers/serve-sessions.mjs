import { randomUUID } from 'node:crypto';

/**
 * @typedef {{ sessionId?: string | undefined, onclose?: (() => void) | undefined, handleRequest(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): Promise<void> }} SessionTransport
 * @typedef {{ sessionIdGenerator: () => string, onsessioninitialized: (id: string) => void }} SessionOptions
 */

/**
 * Sessions as the official SDK's users keep them: a transport and a server for each, in a map.
 * @template {SessionTransport} T
 * @param {(options: SessionOptions) => T} makeTransport
 * @param {(transport: T) => Promise<void>} connect connects a new server to the transport
 * @returns {import('node:http').RequestListener}
 */
export function serveSessions(makeTransport, connect) {
  /** @type {Map<string, T>} */
  const sessions = new Map();
  return (request, response) => {
    void serve(request, response);
  };

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async function serve(request, response) {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) {
      await known.handleRequest(request, response);
      return;
    }
    const transport = makeTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    transport.onclose = () => sessions.delete(transport.sessionId ?? '');
    await connect(transport);
    await transport.handleRequest(request, response);
  }
}
