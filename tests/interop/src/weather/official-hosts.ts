import { fileURLToPath } from 'node:url';
import {
  ClientV1,
  ElicitRequestSchemaV1,
  ResourceUpdatedNotificationSchemaV1,
  StdioClientTransportV1,
} from '../../../peers/src/sdk-v1-clients.ts';
import { ClientV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { StdioClientTransportV2 } from '../../../peers/src/sdk-v2.ts';
import { compileCache } from '../compile-cache.ts';

type Shape = { readonly [key: string]: unknown };

export interface WeatherHostOptions {
  /** Arguments of the server. */
  readonly args: readonly string[];
  readonly onUpdated?: (uri: string) => void;
  /** Variables of the server. */
  readonly env?: { readonly [name: string]: string };
  /** Chooses the id of one of several places; without it the host has no elicitation. */
  readonly choose?: (form: Shape) => string;
  readonly onProgress?: (progress: number) => void;
}

/** A host with a client of the official SDK, connected to our weather server in its own process. */
export interface WeatherHost extends AsyncDisposable {
  readonly listTools: () => Promise<
    readonly { readonly name: string; readonly inputSchema: Shape }[]
  >;
  readonly callTool: (name: string, args: Shape) => Promise<Shape>;
  readonly listResources: () => Promise<readonly string[]>;
  readonly readText: (uri: string) => Promise<string>;
  readonly getPrompt: (name: string, args: { [name: string]: string }) => Promise<unknown>;
  /** Completes the city of the resource template. */
  readonly completeCity: (typed: string) => Promise<readonly string[]>;
  /** Subscribes to resources. */
  readonly watch: (uris: readonly string[]) => Promise<void>;
}

const bin = fileURLToPath(
  new URL('bin.js', import.meta.resolve('@signalbox/server-weather/package.json')),
);
const info = { name: 'host', version: '1.0.0' };
const template = { type: 'ref/resource', uri: 'weather://{city}/current' } as const;

/** The SDKs and eras in which a host can be connected. */
export const connectWeatherHosts: readonly (readonly [
  name: string,
  connect: (options: WeatherHostOptions) => Promise<WeatherHost>,
])[] = [
  ['SDK v1, legacy', connectV1],
  ['SDK v2, legacy', (options) => connectV2(options, 'legacy')],
  ['SDK v2, modern', (options) => connectV2(options, 'modern')],
];

async function connectV1(options: WeatherHostOptions): Promise<WeatherHost> {
  const { choose, onProgress } = options;
  const client = new ClientV1(info, { capabilities: capabilitiesOf(options) });
  if (choose !== undefined)
    client.setRequestHandler(ElicitRequestSchemaV1, ({ params }) =>
      elicitationResult(choose({ ...params })),
    );
  client.setNotificationHandler(ResourceUpdatedNotificationSchemaV1, ({ params }) =>
    options.onUpdated?.(params.uri),
  );
  await client.connect(new StdioClientTransportV1(processOf(options)));
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) =>
      client.callTool({ name, arguments: args }, undefined, {
        onprogress: ({ progress }) => onProgress?.(progress),
      }),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readText: async (uri) => textOf((await client.readResource({ uri })).contents),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    completeCity: async (value) =>
      (await client.complete({ ref: template, argument: { name: 'city', value } })).completion
        .values,
    watch: async (uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectV2(
  options: WeatherHostOptions,
  era: 'legacy' | 'modern',
): Promise<WeatherHost> {
  const { choose, onProgress } = options;
  const client = new ClientV2(info, {
    capabilities: capabilitiesOf(options),
    ...(era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
  });
  if (choose !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) =>
      elicitationResult(choose({ ...params })),
    );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onUpdated?.(params.uri),
  );
  await client.connect(new StdioClientTransportV2(processOf(options)));
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) =>
      client.callTool(
        { name, arguments: args },
        { onprogress: ({ progress }) => onProgress?.(progress) },
      ),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readText: async (uri) => textOf((await client.readResource({ uri })).contents),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    completeCity: async (value) =>
      (await client.complete({ ref: template, argument: { name: 'city', value } })).completion
        .values,
    watch: async (uris) => {
      if (era === 'modern') await client.listen({ resourceSubscriptions: [...uris] });
      else for (const uri of uris) await client.subscribeResource({ uri });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function processOf({ args, env = {} }: WeatherHostOptions): {
  command: string;
  args: string[];
  env: { [name: string]: string };
  stderr: 'ignore';
} {
  return {
    command: process.execPath,
    args: [bin, ...args],
    env: { ...compileCache, ...env },
    stderr: 'ignore',
  };
}

function capabilitiesOf({ choose }: WeatherHostOptions): {
  elicitation?: { [name: string]: never };
} {
  return choose === undefined ? {} : { elicitation: {} };
}

function elicitationResult(place: string): {
  action: 'accept';
  content: { place: string };
} {
  return { action: 'accept', content: { place } };
}

function textOf(contents: readonly object[]): string {
  const [first] = contents;
  return first !== undefined && 'text' in first ? String(first.text) : '';
}
