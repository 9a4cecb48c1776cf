import { fileURLToPath } from 'node:url';
import {
  ClientV1,
  CreateMessageRequestSchemaV1,
  ElicitRequestSchemaV1,
  ResourceListChangedNotificationSchemaV1,
  ResourceUpdatedNotificationSchemaV1,
  StdioClientTransportV1,
} from '../../../peers/src/sdk-v1-clients.ts';
import { ClientV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { StdioClientTransportV2 } from '../../../peers/src/sdk-v2.ts';
import { compileCache } from '../compile-cache.ts';

type Shape = { readonly [key: string]: unknown };

export interface SqliteHostOptions {
  /** Arguments of the server. */
  readonly args: readonly string[];
  readonly onUpdated?: (uri: string) => void;
  readonly onListChanged?: () => void;
  /** Answers elicitation; without it the host has none. */
  readonly elicit?: (message: string) => 'accept' | 'decline';
  /** Answers sampling requests with a text; without it the host has no sampling. */
  readonly sample?: () => string;
}

/** A host with a client of the official SDK, connected to our SQLite server in its own process. */
export interface SqliteHost extends AsyncDisposable {
  readonly listTools: () => Promise<
    readonly { readonly name: string; readonly inputSchema: Shape }[]
  >;
  readonly callTool: (name: string, args: Shape) => Promise<Shape>;
  readonly listResources: () => Promise<readonly string[]>;
  readonly readText: (uri: string) => Promise<string>;
  readonly getPrompt: (name: string, args: { [name: string]: string }) => Promise<unknown>;
  /** Completes the table of the resource template. */
  readonly completeTable: (typed: string) => Promise<readonly string[]>;
  /** Subscribes to resources and to the list of resources. */
  readonly watch: (uris: readonly string[]) => Promise<void>;
}

const bin = fileURLToPath(
  new URL('bin.js', import.meta.resolve('@signalbox/server-sqlite/package.json')),
);
const info = { name: 'host', version: '1.0.0' };
const template = { type: 'ref/resource', uri: 'sqlite://{db}/{table}' } as const;

/** The SDKs and eras in which a host can be connected. */
export const connectSqliteHosts: readonly (readonly [
  name: string,
  connect: (options: SqliteHostOptions) => Promise<SqliteHost>,
])[] = [
  ['SDK v1, legacy', connectV1],
  ['SDK v2, legacy', (options) => connectV2(options, 'legacy')],
  ['SDK v2, modern', (options) => connectV2(options, 'modern')],
];

async function connectV1(options: SqliteHostOptions): Promise<SqliteHost> {
  const { elicit, sample } = options;
  const client = new ClientV1(info, { capabilities: capabilitiesOf(options) });
  if (elicit !== undefined)
    client.setRequestHandler(ElicitRequestSchemaV1, ({ params }) =>
      elicitationResult(elicit(params.message)),
    );
  if (sample !== undefined)
    client.setRequestHandler(CreateMessageRequestSchemaV1, () => samplingResult(sample()));
  client.setNotificationHandler(ResourceUpdatedNotificationSchemaV1, ({ params }) =>
    options.onUpdated?.(params.uri),
  );
  client.setNotificationHandler(ResourceListChangedNotificationSchemaV1, () =>
    options.onListChanged?.(),
  );
  await client.connect(new StdioClientTransportV1(processOf(options)));
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readText: async (uri) => textOf((await client.readResource({ uri })).contents),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    completeTable: async (value) =>
      (await client.complete({ ref: template, argument: { name: 'table', value } })).completion
        .values,
    watch: async (uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectV2(
  options: SqliteHostOptions,
  era: 'legacy' | 'modern',
): Promise<SqliteHost> {
  const { elicit, sample } = options;
  const client = new ClientV2(info, {
    capabilities: capabilitiesOf(options),
    ...(era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
  });
  if (elicit !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) =>
      elicitationResult(elicit(params.message)),
    );
  if (sample !== undefined)
    client.setRequestHandler('sampling/createMessage', () => samplingResult(sample()));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onUpdated?.(params.uri),
  );
  client.setNotificationHandler('notifications/resources/list_changed', () =>
    options.onListChanged?.(),
  );
  await client.connect(new StdioClientTransportV2(processOf(options)));
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readText: async (uri) => textOf((await client.readResource({ uri })).contents),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    completeTable: async (value) =>
      (await client.complete({ ref: template, argument: { name: 'table', value } })).completion
        .values,
    watch: async (uris) => {
      if (era === 'modern')
        await client.listen({ resourceSubscriptions: [...uris], resourcesListChanged: true });
      else for (const uri of uris) await client.subscribeResource({ uri });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function processOf({ args }: SqliteHostOptions): {
  command: string;
  args: string[];
  env: { [name: string]: string };
  stderr: 'ignore';
} {
  return { command: process.execPath, args: [bin, ...args], env: compileCache, stderr: 'ignore' };
}

function capabilitiesOf({ elicit, sample }: SqliteHostOptions): {
  elicitation?: { [name: string]: never };
  sampling?: { [name: string]: never };
} {
  return {
    ...(elicit === undefined ? {} : { elicitation: {} }),
    ...(sample === undefined ? {} : { sampling: {} }),
  };
}

function elicitationResult(action: 'accept' | 'decline'): {
  action: 'accept' | 'decline';
  content?: { confirm: boolean };
} {
  return action === 'accept' ? { action, content: { confirm: true } } : { action };
}

function samplingResult(text: string): {
  role: 'assistant';
  content: { type: 'text'; text: string };
  model: string;
  stopReason: string;
} {
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: 'mock',
    stopReason: 'endTurn',
  };
}

function textOf(contents: readonly object[]): string {
  const [first] = contents;
  return first !== undefined && 'text' in first ? String(first.text) : '';
}
