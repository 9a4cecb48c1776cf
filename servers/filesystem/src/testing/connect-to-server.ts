import type { Era, Root } from '@signalbox/mcp-core';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { createLogger } from '@signalbox/server-kit';
import {
  createFilesystemServer,
  type FilesystemServer,
  type FilesystemServerOptions,
} from '../create-filesystem-server.ts';

export interface ConnectOptions {
  /** Era of the client; default legacy. */
  readonly era?: Era;
  /** Answers `roots/list`; without it the client has no roots. */
  readonly roots?: () => readonly Root[];
  /** Answers elicitation requests; without it the client does not support elicitation. */
  readonly elicit?: (message: string) => 'accept' | 'decline';
}

export interface Served extends AsyncDisposable {
  readonly filesystem: FilesystemServer;
  /** Log lines. */
  readonly lines: readonly string[];
  connect(options?: ConnectOptions): Promise<Client>;
}

/** Creates a whole server for tests; disposal closes its clients first. */
export async function serveFolders(options: FilesystemServerOptions): Promise<Served> {
  const lines: string[] = [];
  const log = createLogger('debug', { write: (line) => lines.push(line) });
  const filesystem = await createFilesystemServer({ log, ...options });
  const clients: Client[] = [];
  return {
    filesystem,
    lines,
    async connect({ era = 'legacy', roots, elicit } = {}) {
      const [near, far] = createInMemoryTransports();
      await filesystem.server.connect(far);
      const handlers = {
        ...(roots === undefined ? {} : { listRoots: () => Promise.resolve(roots()) }),
        ...(elicit === undefined
          ? {}
          : {
              elicit: ({ message }: { readonly message: string }) =>
                Promise.resolve({ action: elicit(message), content: { confirm: true } }),
            }),
      };
      const client = await connectClient(() => near, {
        info: { name: 'test', version: '1' },
        era,
        handlers,
      });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      await filesystem.close();
    },
  };
}
