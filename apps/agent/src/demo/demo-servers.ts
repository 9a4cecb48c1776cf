import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ConfigError, type ServerConfig } from '../config/config.ts';

export interface DemoPlaces {
  /** Folder that the filesystem server reads. */
  readonly files: string;
  /** The shop database. */
  readonly database: string;
  /**
   * Folder of the demo with all servers, which the filesystem server also serves. With it, servers may use the model without an
   * approval, queries of the model run unconfirmed, and the weather server logs the calls that ended.
   */
  readonly tour?: string | undefined;
}

export type DemoServerName = 'filesystem' | 'sqlite' | 'weather';

/** Returns the three reference servers for a folder, the shop database and made-up weather. `notices` names the servers that are not installed. */
export function demoServers({ files, database, tour }: DemoPlaces): {
  readonly servers: readonly ServerConfig[];
  readonly notices: readonly string[];
} {
  const servers: ServerConfig[] = [];
  const notices: string[] = [];
  const wanted: readonly (readonly [DemoServerName, readonly string[]])[] = [
    ['filesystem', tour === undefined ? [files] : [files, tour]],
    ['sqlite', tour === undefined ? [database] : ['--confirm', 'never', database]],
    ['weather', tour === undefined ? ['--demo'] : ['--demo', '--log-level', 'debug']],
  ];
  for (const [name, args] of wanted) {
    try {
      const server = demoServer(name, args);
      servers.push(tour === undefined ? server : { ...server, sampling: 'auto' });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      notices.push(error.message);
    }
  }
  return { servers, notices };
}

/** Returns the configuration of a reference server. @throws ConfigError when its package is not installed */
export function demoServer(name: DemoServerName, args: readonly string[]): ServerConfig {
  return {
    name,
    command: process.execPath,
    args: [programOf(name), ...args],
    env: {},
    cwd: undefined,
    trust: true,
    allow: [],
    deny: [],
    roots: [],
    era: 'auto',
    approval: 'default',
    sampling: 'ask',
  };
}

const require = createRequire(import.meta.url);

/** Returns the program of an installed package, which runs as a process of its own. */
function programOf(name: DemoServerName): string {
  const specifier = `@signalbox/server-${name}`;
  try {
    const manifest = require.resolve(`${specifier}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      readonly bin: { readonly [command: string]: string };
    };
    return join(dirname(manifest), bin[`signalbox-${name}`] ?? '');
  } catch (error) {
    throw new ConfigError(`the demo server ${name} is not installed: npm install ${specifier}`, {
      cause: error,
    });
  }
}
