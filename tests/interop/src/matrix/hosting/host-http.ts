import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { World } from '../world.ts';

export interface SeenRequest {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  /** Undefined before the response. */
  status?: number;
}

export interface Hosted {
  /** URL of the MCP endpoint, `/mcp` unless the handler has other paths. */
  readonly url: URL;
  readonly requests: readonly SeenRequest[];
  /** Forgets all sessions, as a restarted server does. */
  readonly forgetSessions?: () => void;
  close(): Promise<void>;
}

export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** Listens on this machine, records requests, and can break a connection on demand. */
export async function hostHttp(
  world: World,
  serve: Serve,
  stop: () => Promise<void> = () => Promise.resolve(),
): Promise<Hosted> {
  const requests: SeenRequest[] = [];
  const posts = new Set<ServerResponse>();
  world.dropStream = () => {
    const [oldest] = posts;
    oldest?.socket?.destroy();
  };
  const listener = createServer((request, response) => {
    const seen: SeenRequest = { method: String(request.method), headers: request.headers };
    requests.push(seen);
    if (request.method === 'POST') posts.add(response);
    response.once('close', () => {
      posts.delete(response);
      seen.status = response.statusCode;
    });
    void serve(request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${String(port)}/mcp`),
    requests,
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      await stop();
      listener.closeAllConnections();
      await closed;
    },
  };
}
