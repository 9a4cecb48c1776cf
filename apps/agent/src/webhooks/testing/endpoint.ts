import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that an endpoint received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Endpoint {
  readonly port: number;
  readonly received: readonly Received[];
}

/** Starts an HTTP server on a loopback address that keeps its requests. Default: it answers with 204. */
export async function startEndpoint({
  host = '127.0.0.1',
  port = 0,
  answer = (response) => void response.writeHead(204).end(),
}: {
  readonly host?: string;
  readonly port?: number;
  readonly answer?: (response: ServerResponse, request: Received) => void;
} = {}): Promise<Endpoint> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => {
        const { url = '', headers } = request;
        const each = { path: url, headers, body: Buffer.concat(pieces).toString() };
        received.push(each);
        answer(response, each);
      });
  }).listen(port, host);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, received };
}
