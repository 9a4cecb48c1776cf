import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { connectClient } from '../client/index.ts';
import type { Server } from '../server/server.ts';
import { createInMemoryTransports } from './in-memory-transport.ts';

/** Connects a client to a server in this process. @throws LocalError `connect-failed` */
export function connectInMemory(server: Server, options: ClientOptions = { info: { name: 'test-client', version: '0' } }): Promise<Client> {
  return connectClient(async () => {
    const [near, far] = createInMemoryTransports();
    await server.connect(far);
    return near;
  }, options);
}
