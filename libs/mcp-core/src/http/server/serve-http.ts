import type { AddressInfo } from 'node:net';
import type { Server as NodeServer } from 'node:http';
import { guarded, reportToStderr } from '../../jsonrpc/report-to-stderr.ts';
import type { Server, ServerListener } from '../../server/server.ts';
import { isLoopback } from '../headers/loopback.ts';
import { createHttpHandler } from './create-http-handler.ts';
import type { HttpHandler, HttpHandlerOptions, HttpLimits } from './http-handler.ts';

/** Limits of an HTTP server, in addition to those of its handler. */
export interface HttpListenerLimits extends HttpLimits {
  /** Milliseconds within which a client must send a request. Default: 60,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Maximum number of connections; further ones are closed. Default: 20,000. */
  readonly maxConnections?: number | undefined;
}

/** Options of `serveHttp`: those of the handler, and the address. */
export interface ServeHttpOptions extends HttpHandlerOptions {
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /**
   * Address to listen on. Default: `127.0.0.1`. For an address that is not loopback, `allowedHosts`
   * defaults to `any`.
   */
  readonly host?: string | undefined;
  /** Default: `/mcp`. */
  readonly path?: string | undefined;
  readonly limits?: HttpListenerLimits | undefined;
}

/** A running HTTP server. */
export interface HttpListener extends ServerListener {
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly port: number;
}

/**
 * Milliseconds that an idle connection stays open. Longer than the idle time of clients, whose
 * requests on a closing connection would be lost.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_TIMEOUT_CHECK_MS = 30_000;

/**
 * Listens for HTTP. Rejects when listening fails. `close` of the listener also closes every
 * connection and stops the server's tasks; `HttpHandler.close` leaves tasks running.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @example
 * ```ts
 * import { serveHttp } from '@signalbox/mcp-core/http/server';
 * import { createServer, defineTool } from '@signalbox/mcp-core/server';
 *
 * const hello = defineTool({
 *   name: 'hello',
 *   description: 'Says hello.',
 *   inputSchema: { type: 'object' },
 *   annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
 *   handler: () => ({ content: [{ type: 'text', text: 'Hello!' }] }),
 * });
 * const server = createServer({ info: { name: 'greeter', version: '1.0.0' }, tools: [hello] });
 * const { url } = await serveHttp(server, { port: 8030 });
 * console.log(url);
 * ```
 */
export async function serveHttp(
  server: Server,
  options: ServeHttpOptions = {},
): Promise<HttpListener> {
  const { port = 0, host = '127.0.0.1', path = '/mcp', access, ...handlerOptions } = options;
  const { requestTimeoutMs = 60_000, maxConnections = 20_000 } = options.limits ?? {};
  const handler = createHttpHandler(server, {
    ...handlerOptions,
    access: {
      ...access,
      allowedHosts: access?.allowedHosts ?? (isLoopback(host) ? undefined : 'any'),
    },
    path,
  });
  // An import reads every export of node:http, and one of them loads undici: 20 ms and 10 MB.
  const { createServer } = process.getBuiltinModule('node:http');
  const listener = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(MAX_TIMEOUT_CHECK_MS, requestTimeoutMs),
    },
    (request, response) => {
      handler.handle(request, response);
    },
  );
  const address = await listen(listener, port, host);
  // Without a listener, a connection that cannot be accepted would crash the process.
  listener.on('error', guarded(options.onError ?? reportToStderr));
  listener.maxConnections = maxConnections;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let isClosing = false;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${String(address.port)}${path}`,
    port: address.port,
    closed,
    close: () => {
      if (!isClosing) resolve(close(listener, handler, server));
      isClosing = true;
      return closed;
    },
  };
}

function listen(listener: NodeServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, () => {
      listener.off('error', reject);
      // A server that listens on a port has an address of this type.
      resolve(listener.address() as AddressInfo);
    });
  });
}

async function close(listener: NodeServer, handler: HttpHandler, server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    listener.close(() => {
      resolve();
    });
  });
  await handler.close();
  listener.closeAllConnections();
  await closed;
  await server.stopTasks();
}
