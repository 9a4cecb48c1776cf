import { join } from 'node:path';
import type { ServerConfig } from '../config/config.ts';

export interface DemoPlaces {
  /** Folder of the repository: the servers are started from it, and the filesystem server reads it. */
  readonly repository: string;
  /** The folder that the filesystem server may read; default the repository. */
  readonly files?: string;
  /** The shop database. */
  readonly database: string;
}

const server = (name: string, args: readonly string[]): ServerConfig => ({
  name,
  command: 'node',
  args,
  env: {},
  cwd: undefined,
  trust: true,
  allow: [],
  deny: [],
  roots: [],
  era: 'auto',
  approval: 'default',
  sampling: 'ask',
});

/** The three reference servers over the repository, the shop database and made-up weather; nothing leaves this machine. */
export function demoServers({ repository, files = repository, database }: DemoPlaces): readonly ServerConfig[] {
  const bin = (folder: string): string => join(repository, 'servers', folder, 'bin.js');
  return [
    server('filesystem', [bin('filesystem'), files]),
    server('sqlite', [bin('sqlite'), database]),
    server('weather', [bin('weather'), '--demo']),
  ];
}
