import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isPlainObject } from '../json/plain-object.ts';
import { ConfigError } from './config.ts';
import { parseConfigFile, problemsError, type FileServer } from './config-file.ts';
import { parseConfigText } from './config-text.ts';

/** Changes of the configured servers that were made by the REST API. */
export interface ServerChanges {
  /** Entries of added and replaced servers by name, in the spelling of `signalbox.json`. */
  readonly entries: ReadonlyMap<string, unknown>;
  /** Names of servers of the configuration file that were removed. */
  readonly removed: ReadonlySet<string>;
}

export const NO_CHANGES: ServerChanges = { entries: new Map(), removed: new Set() };

/** Reads the file of changes. Returns no changes if it does not exist. @throws ConfigError */
export async function readServerChanges(
  path: string,
  readFile: (path: string) => Promise<string>,
): Promise<{ readonly changes: ServerChanges; readonly servers: readonly FileServer[] }> {
  let text: string;
  try {
    text = await readFile(path);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { changes: NO_CHANGES, servers: [] };
    throw new ConfigError(`${path}: the servers changed by the API cannot be read (${code})`, {
      cause: error,
    });
  }
  const input = parseConfigText(text, path);
  const { config, servers } = parseConfigFile(text, path);
  const { mcpServers: entries = {}, removed = [] } = isPlainObject(input) ? input : {};
  const isList = Array.isArray(removed) && removed.every((name) => typeof name === 'string');
  const problems = [
    ...Object.keys(config).map(
      (name) => `${name}: does not belong here; move it to the configuration file`,
    ),
    ...(isList ? [] : ['removed: must be an array of the names of servers']),
  ];
  if (problems.length > 0) throw problemsError(path, problems);
  const safeNames = new Map(servers.map(({ name, configuredName }) => [configuredName, name]));
  return {
    changes: {
      entries: new Map(
        Object.entries(entries as object).map(([name, entry]) => [
          safeNames.get(name) ?? name,
          entry as unknown,
        ]),
      ),
      removed: new Set(removed as string[]),
    },
    servers,
  };
}

/**
 * Replaces the file of changes atomically: after a crash it has the earlier or the new contents.
 * Only its owner may read it. Creates its folder.
 */
export async function writeServerChanges(
  path: string,
  { entries, removed }: ServerChanges,
): Promise<void> {
  const contents = { mcpServers: Object.fromEntries(entries), removed: [...removed].toSorted() };
  const temporary = `${path}.${randomUUID()}.tmp`;
  // A service on PostgreSQL may have no data directory yet.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(contents, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    // Windows cannot sync a folder, and needs no such call after a rename.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'EINVAL' && code !== 'EISDIR') throw error;
  } finally {
    await folder.close();
  }
}
