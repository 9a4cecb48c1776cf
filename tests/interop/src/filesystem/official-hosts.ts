import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  ClientV1,
  CreateMessageRequestSchemaV1,
  ListRootsRequestSchemaV1,
  ResourceListChangedNotificationSchemaV1,
  ResourceUpdatedNotificationSchemaV1,
  StdioClientTransportV1,
} from '../../../peers/src/sdk-v1-clients.ts';
import { ClientV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { StdioClientTransportV2 } from '../../../peers/src/sdk-v2.ts';

export interface HostOptions {
  /** Arguments of the server. */
  readonly args: readonly string[];
  /** Returns the directories that the host announces when the server requests them. */
  readonly roots: () => readonly string[];
  readonly onUpdated?: (uri: string) => void;
  readonly onListChanged?: () => void;
}

type Shape = { readonly [key: string]: unknown };

/**
 * A host with a client of the official SDK, connected to our filesystem server in its own process.
 */
export interface OfficialHost {
  readonly callTool: (name: string, args: Shape) => Promise<Shape>;
  /** Completes the path of the resource template. */
  readonly complete: (typed: string) => Promise<readonly string[]>;
  /** Returns the names of the resources. */
  readonly listResources: () => Promise<readonly string[]>;
  /** Returns the messages of the prompt. */
  readonly explore: (path: string) => Promise<readonly unknown[]>;
  /** Resolves after subscribing with a function that unsubscribes. */
  readonly watch: (uri: string) => Promise<() => Promise<void>>;
  readonly rootsChanged: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const bin = fileURLToPath(
  new URL('bin.js', import.meta.resolve('@signalbox/server-filesystem/package.json')),
);
const info = { name: 'host', version: '1.0.0' };
const capabilities = { roots: { listChanged: true }, sampling: {} };
const summary = {
  role: 'assistant',
  content: { type: 'text', text: 'A greeting.' },
  model: 'mock',
  stopReason: 'endTurn',
} as const;

export async function connectV1Host(options: HostOptions): Promise<OfficialHost> {
  const client = new ClientV1(info, { capabilities });
  client.setRequestHandler(ListRootsRequestSchemaV1, () => rootsOf(options));
  client.setRequestHandler(CreateMessageRequestSchemaV1, () => structuredClone(summary));
  client.setNotificationHandler(ResourceUpdatedNotificationSchemaV1, ({ params }) =>
    options.onUpdated?.(params.uri),
  );
  client.setNotificationHandler(ResourceListChangedNotificationSchemaV1, () =>
    options.onListChanged?.(),
  );
  await client.connect(
    new StdioClientTransportV1({ command: process.execPath, args: [bin, ...options.args] }),
  );
  return {
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    complete: async (value) =>
      (
        await client.complete({
          ref: { type: 'ref/resource', uri: 'file:///{+path}' },
          argument: { name: 'path', value },
        })
      ).completion.values,
    listResources: async () => (await client.listResources()).resources.map(({ name }) => name),
    explore: async (path) =>
      (await client.getPrompt({ name: 'explore_project', arguments: { path } })).messages,
    watch: async (uri) => {
      await client.subscribeResource({ uri });
      return async () => {
        await client.unsubscribeResource({ uri });
      };
    },
    rootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
  };
}

export async function connectV2Host(
  options: HostOptions,
  era: 'legacy' | 'modern',
): Promise<OfficialHost> {
  const client = new ClientV2(info, {
    capabilities,
    ...(era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
  });
  client.setRequestHandler('roots/list', () => rootsOf(options));
  client.setRequestHandler('sampling/createMessage', () => structuredClone(summary));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onUpdated?.(params.uri),
  );
  client.setNotificationHandler('notifications/resources/list_changed', () =>
    options.onListChanged?.(),
  );
  await client.connect(
    new StdioClientTransportV2({ command: process.execPath, args: [bin, ...options.args] }),
  );
  return {
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    complete: async (value) =>
      (
        await client.complete({
          ref: { type: 'ref/resource', uri: 'file:///{+path}' },
          argument: { name: 'path', value },
        })
      ).completion.values,
    listResources: async () => (await client.listResources()).resources.map(({ name }) => name),
    explore: async (path) =>
      (await client.getPrompt({ name: 'explore_project', arguments: { path } })).messages,
    watch: async (uri) => {
      if (era === 'legacy') {
        await client.subscribeResource({ uri });
        return async () => {
          await client.unsubscribeResource({ uri });
        };
      }
      const subscription = await client.listen({
        resourceSubscriptions: [uri],
        resourcesListChanged: true,
      });
      return () => subscription.close();
    },
    rootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
  };
}

function rootsOf({ roots }: HostOptions): { roots: { uri: string }[] } {
  return { roots: roots().map((path) => ({ uri: pathToFileURL(path).href })) };
}
