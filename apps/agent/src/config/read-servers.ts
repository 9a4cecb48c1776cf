import { basename, dirname, sep } from 'node:path';
import type { InvalidServer, ServerConfig } from './config.ts';
import type { ParsedConfig, FileServer } from './config-file.ts';
import { inputValues, type InputSources } from './config-inputs.ts';
import { toServerConfig } from './server-config.ts';

export interface ServerSources extends InputSources {
  /** Folder of the configuration file. */
  readonly folder: string;
  readonly homeDir: string;
  /** Reads a text file. */
  readonly readFile: (path: string) => Promise<string>;
}

export interface ReadServers {
  readonly servers: readonly ServerConfig[];
  readonly invalid: readonly InvalidServer[];
  readonly notices: readonly string[];
}

/** Expands the variables of all servers. A server with an unresolved variable is invalid. */
export async function readServers(
  { servers, inputs }: Pick<ParsedConfig, 'servers' | 'inputs'>,
  sources: ServerSources,
): Promise<ReadServers> {
  const usable = servers.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  const variables = {
    env: sources.env,
    inputs: await inputValues(JSON.stringify(usable), inputs, sources),
    predefined: predefinedVariables(sources),
  };
  const read: { servers: ServerConfig[]; invalid: InvalidServer[]; notices: string[] } = {
    servers: [],
    invalid: [],
    notices: [],
  };
  for (const file of servers) {
    if (file.entry === undefined) {
      read.invalid.push(invalidServer(file, file.problems));
      continue;
    }
    const { server, problems, notices } = await toServerConfig(file, file.entry, {
      ...sources,
      variables,
    });
    if (problems.length > 0) read.invalid.push(invalidServer(file, problems));
    else {
      read.servers.push(server);
      read.notices.push(...notices);
    }
  }
  return read;
}

function invalidServer(
  { name, configuredName, isRemote }: FileServer,
  problems: readonly string[],
): InvalidServer {
  return {
    name,
    ...(configuredName === name ? {} : { configuredName }),
    transport: isRemote ? 'http' : 'stdio',
    problems,
  };
}

/** Folders in which editors keep a workspace's configuration. */
const EDITOR_FOLDERS: readonly string[] = [
  '.vscode',
  '.cursor',
  '.roo',
  '.zed',
  '.gemini',
  '.idea',
];

/**
 * Returns the variables that VS Code and Cursor define. The workspace is the folder of the file, or
 * the parent of an editor's folder.
 */
function predefinedVariables({ folder, homeDir }: ServerSources): {
  readonly [name: string]: string;
} {
  const workspaceFolder = EDITOR_FOLDERS.includes(basename(folder)) ? dirname(folder) : folder;
  return {
    workspaceFolder,
    workspaceRoot: workspaceFolder,
    workspaceFolderBasename: basename(workspaceFolder),
    userHome: homeDir,
    pathSeparator: sep,
    '/': sep,
  };
}
