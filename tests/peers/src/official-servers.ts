import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packages = createRequire(import.meta.url);

/** Returns the folder of a package of this workspace. */
function folderOf(name: string): string {
  const main = packages.resolve
    .paths(name)
    ?.map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
  if (main === undefined) throw new Error(`${name} is not installed in tests/peers`);
  return main;
}

/** Entry of the official filesystem server, to be run with Node. */
export const officialFilesystemServer = join(
  dirname(packages.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist',
  'index.js',
);

/** Entry of a server on the official SDK v2. */
export const sdkV2Server = join(import.meta.dirname, 'sdk-v2-server.mjs');

/** Entry of a server on the official SDK v2 whose tools send input requests: node FILE LEDGER. */
export const sdkV2AskingServer = join(import.meta.dirname, 'sdk-v2-asking-server.ts');

/** Entry of the official server with every feature of the legacy era, to be run with Node. */
export const officialEverythingServer = join(
  dirname(packages.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist',
  'index.js',
);

/** Entry of a server on the official SDK v1 whose tool sends the user to a URL. */
export const sdkV1VisitingServer = join(import.meta.dirname, 'sdk-v1-visiting-server.ts');

/**
 * Entries of servers on the official SDKs, over stdio, whose tool `sample` samples its argument.
 */
export const sdkV1SamplingServer = join(import.meta.dirname, 'sdk-v1-sampling-server.ts');
export const sdkV2SamplingServer = join(import.meta.dirname, 'sdk-v2-sampling-server.ts');

/** Bridges stdio to a server at a URL: node FILE URL. */
export const mcpRemote = join(folderOf('mcp-remote'), 'dist', 'proxy.js');

/** Entries of third-party servers that start and list their tools without a network, to be run with Node. */
export const thirdPartyServers = {
  everything: officialEverythingServer,
  memory: join(folderOf('@modelcontextprotocol/server-memory'), 'dist', 'index.js'),
  'sequential-thinking': join(
    folderOf('@modelcontextprotocol/server-sequential-thinking'),
    'dist',
    'index.js',
  ),
  filesystem: officialFilesystemServer,
  playwright: join(folderOf('@playwright/mcp'), 'cli.js'),
  chart: join(folderOf('@antv/mcp-server-chart'), 'build', 'index.js'),
  nx: join(folderOf('nx-mcp'), 'main.js'),
  notion: join(folderOf('@notionhq/notion-mcp-server'), 'bin', 'cli.mjs'),
} as const;
