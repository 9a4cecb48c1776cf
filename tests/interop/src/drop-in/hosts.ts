import { pathToFileURL } from 'node:url';
import {
  ClientV1,
  ListRootsRequestSchemaV1,
  StdioClientTransportV1,
} from '../../../peers/src/sdk-v1-clients.ts';
import { ClientV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { StdioClientTransportV2 } from '../../../peers/src/sdk-v2.ts';
import { compileCache } from '../compile-cache.ts';

export interface HostOptions {
  readonly program: string;
  /** Arguments of the server. */
  readonly args: readonly string[];
  /** Home directory of the server. */
  readonly home: string;
  /** Directories of the client; without them it has no roots. */
  readonly roots?: readonly string[];
}

type Shape = { readonly [member: string]: unknown };

export interface Host {
  readonly call: (tool: string, args: Shape) => Promise<Shape>;
  readonly close: () => Promise<void>;
}

const info = { name: 'host', version: '1.0.0' };

export const hosts: { readonly [sdk: string]: (options: HostOptions) => Promise<Host> } = {
  async 'SDK v1'(options) {
    const client = new ClientV1(info, capabilitiesOf(options));
    if (options.roots !== undefined)
      client.setRequestHandler(ListRootsRequestSchemaV1, () => rootsOf(options));
    await client.connect(new StdioClientTransportV1(processOf(options)));
    return {
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
  async 'SDK v2'(options) {
    const client = new ClientV2(info, capabilitiesOf(options));
    if (options.roots !== undefined) client.setRequestHandler('roots/list', () => rootsOf(options));
    await client.connect(new StdioClientTransportV2(processOf(options)));
    return {
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
};

function capabilitiesOf({ roots }: HostOptions) {
  return { capabilities: roots === undefined ? {} : { roots: {} } };
}

function processOf({ program, args, home }: HostOptions) {
  return {
    command: process.execPath,
    args: [program, ...args],
    env: { ...compileCache, HOME: home },
    stderr: 'ignore' as const,
  };
}

function rootsOf({ roots = [] }: HostOptions): { roots: { uri: string }[] } {
  return { roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) };
}
