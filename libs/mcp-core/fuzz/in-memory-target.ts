import type { JsonRpcMessage } from '../src/jsonrpc/messages.ts';
import { createInMemoryTransports } from '../src/testing/in-memory-transport.ts';
import { fuzzServer } from './fuzz-server.ts';
import type { FuzzTarget } from './fuzz-target.ts';

export const inMemoryTarget: FuzzTarget = {
  name: 'in memory',
  isText: false,
  open: async (answered) => {
    const [near, far] = createInMemoryTransports();
    const { promise, resolve } = Promise.withResolvers<void>();
    const connection = await fuzzServer().connect(far);
    await near.start({ message: answered, unreadable: () => undefined, closed: () => resolve() });
    return {
      send: (messages) => {
        // The transport passes on any JSON.
        for (const { json } of messages) void near.send(json?.value as JsonRpcMessage);
      },
      close: async () => {
        await near.close();
        await Promise.all([promise, connection.closed]);
      },
    };
  },
};
