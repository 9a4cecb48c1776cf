// Code that the HTTP server programs of the benchmark share.
import { createServer } from 'node:http';
import { TOOLS } from '../catalog.mjs';

const [, , givenMode = 'sessions', givenTools = String(TOOLS)] = process.argv;

/** `sessions`, `sessions without event store`, `stateless` or `modern`, from the command line. */
export const mode = givenMode;

/** Number of tools of the server. */
export const tools = Number(givenTools);

/** Listens on a free port of this machine and sends the port to the parent process. @param {import('node:http').RequestListener} serve */
export function listen(serve) {
  const server = createServer(serve);
  // Connections that rest between two phases of a measurement are kept.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
  });
}
