import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SchemaHost {
  /** URL of a schema that can be fetched: an integer. */
  readonly url: string;
  /**
   * Returns the number of earlier connections and requests; fetches the schema itself, after all
   * pending ones.
   */
  readonly visits: () => Promise<number>;
}

/**
 * Opens a host of schemas that counts its connections and requests; closed at the end of the test.
 */
export async function openSchemaHost(): Promise<SchemaHost> {
  let connections = 0;
  let requests = 0;
  const listener = createServer((_request, response) => {
    requests += 1;
    response.setHeader('content-type', 'application/schema+json');
    response.end(JSON.stringify({ type: 'integer' }));
  });
  listener.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}/n.json`;
  const visits = async (): Promise<number> => {
    await (await fetch(url)).arrayBuffer();
    return Math.max(connections, requests) - 1;
  };
  return { url, visits };
}
