import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import type { Server } from '../server/server.ts';
import { createInMemoryTransports } from './in-memory-transport.ts';

/** Connects a client to a server in this process. @throws LocalError `connect-failed` */
export async function connectInMemory(
  server: Server,
  options: ClientOptions = { info: { name: 'test-client', version: '0' } },
): Promise<Client> {
  // Loaded lazily: handler tests need neither half.
  const { connectClient } = await import('../client/index.ts');
  return connectClient(async () => {
    const [near, far] = createInMemoryTransports();
    await server.connect(far);
    return near;
  }, options);
}
