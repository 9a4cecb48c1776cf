import { join } from 'node:path';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { StdioClientTransportV1 } from '../../../peers/src/sdk-v1-clients.ts';
import { StdioClientTransportV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { compileCache } from '../compile-cache.ts';
import { connectOurClient } from './clients/our-client.ts';
import { connectV1Client } from './clients/v1-client.ts';
import { connectV2Client, type V2Negotiation } from './clients/v2-client.ts';
import type { Library, Opened } from './cell.ts';
import type { ClientFace } from './client-face.ts';

function argumentsFor(server: Library, versions: readonly string[] = []): string[] {
  const name = { ours: 'our', v1: 'v1', v2: 'v2' }[server];
  return [
    '--conditions=@signalbox/source',
    join(import.meta.dirname, 'programs', `${name}-stdio-server.ts`),
    ...versions,
  ];
}

const processes = (connect: () => Promise<ClientFace>): Promise<Opened> =>
  Promise.resolve({ connect, close: () => Promise.resolve() });

/** Starts a server process for each client over stdio. */
export function openV1OverStdio(): Promise<Opened> {
  return processes(() =>
    connectV1Client(
      new StdioClientTransportV1({
        command: process.execPath,
        args: argumentsFor('ours'),
        env: compileCache,
      }),
    ),
  );
}

export function openV2OverStdio(negotiation: V2Negotiation): Promise<Opened> {
  return processes(() =>
    connectV2Client(
      new StdioClientTransportV2({
        command: process.execPath,
        args: argumentsFor('ours'),
        env: compileCache,
      }),
      negotiation,
    ),
  );
}

/** `versions`: the legacy revisions that the server on SDK v2 accepts. */
export function openOursOverStdio(
  server: Library,
  era: 'auto' | 'legacy' | 'modern',
  versions?: readonly string[],
): Promise<Opened> {
  return processes(() =>
    connectOurClient(
      () =>
        spawnStdio({ command: 'node', args: argumentsFor(server, versions), env: compileCache }),
      era,
    ),
  );
}

/** Connects our client with a silence limit that is shorter than the server's start. */
export function connectImpatiently(server: Library): Promise<ClientFace> {
  return connectOurClient(
    () => spawnStdio({ command: 'node', args: argumentsFor(server), env: compileCache }),
    'auto',
    1,
  );
}
