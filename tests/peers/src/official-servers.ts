import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packages = createRequire(import.meta.url);

/** The entry of the official filesystem server, to be run with Node. */
export const officialFilesystemServer = join(dirname(packages.resolve('@modelcontextprotocol/server-filesystem/package.json')), 'dist', 'index.js');

/** The entry of a server on the official SDK v2. */
export const sdkV2Server = join(import.meta.dirname, 'sdk-v2-server.mjs');
