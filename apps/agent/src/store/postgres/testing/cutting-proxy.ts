import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

export interface CuttingProxy {
  /** Address of the database through the proxy. */
  readonly url: string;
  /** Ends the next connection whose client sends this text: before it is passed on, or after. */
  cutAt(text: string, when: 'before' | 'after'): void;
  /** Ends every connection, and refuses new connections until it is called with false. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a database that can end connections at a certain query. */
export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isRefusing = false;
  let cut: { readonly text: string; readonly when: 'before' | 'after' } | undefined;
  const server = createServer((client) => {
    if (isRefusing) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.end();
      });
    }
    upstream.on('data', (data) => void client.write(data));
    client.on('data', (data) => {
      const { text, when } = cut ?? {};
      if (text === undefined || !data.includes(text)) return void upstream.write(data);
      cut = undefined;
      client.destroy();
      if (when === 'after') upstream.end(data);
      else upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const proxied = new URL(url);
  proxied.port = String(port);
  return {
    url: proxied.href,
    cutAt(text, when) {
      cut = { text, when };
    },
    refuse(value) {
      isRefusing = value;
      if (value) for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
