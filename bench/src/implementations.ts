import { fileURLToPath } from 'node:url';
import type { Era } from '@signalbox/mcp-core';

/** One thing under measurement; a server or client of its own, in one era. */
export interface Subject {
  readonly implementation: Implementation;
  readonly era: Era;
}

export interface Implementation {
  readonly name: string;
  readonly eras: readonly Era[];
  /** A program that serves the echo tool and the fillers over stdio. */
  readonly server: string;
  /** A module that exports `connect`, a `ConnectBenchClient`. */
  readonly client: string;
}

export const FLOOR_SERVER = pathOf('floor/server.mjs');

/** The name of ours, which the others are compared with. */
export const OURS = 'signalbox';

export const implementations: readonly Implementation[] = [
  { name: 'floor', eras: ['legacy', 'modern'], server: FLOOR_SERVER, client: pathOf('floor/client.ts') },
  { name: OURS, eras: ['legacy', 'modern'], server: pathOf('servers/signalbox.mjs'), client: pathOf('clients/signalbox.ts') },
  { name: 'sdk-v1', eras: ['legacy'], server: pathOf('servers/sdk-v1.mjs'), client: pathOf('clients/sdk-v1.ts') },
  { name: 'sdk-v2', eras: ['legacy', 'modern'], server: pathOf('servers/sdk-v2.mjs'), client: pathOf('clients/sdk-v2.ts') },
];

/** Every implementation in every era it speaks; those of one era stand together. */
export const subjects: readonly Subject[] = (['legacy', 'modern'] as const).flatMap((era) =>
  implementations.filter(({ eras }) => eras.includes(era)).map((implementation) => ({ implementation, era })),
);

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
