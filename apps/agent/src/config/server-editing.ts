import { join } from 'node:path';
import { ConfigError, type ServerConfig } from './config.ts';
import { checkServerEntry, type FileServer, type ParsedConfig } from './config-file.ts';
import type { ConfigInput } from './config-inputs.ts';
import type { ServerEntry } from './config-schema.ts';
import { readServers, type ServerSources } from './read-servers.ts';
import { readServerChanges, type ServerChanges } from './server-changes.ts';

/** Kinds of servers that the REST API may change: `remote`, those with an address, or `all`, also commands. */
export type EditMode = 'remote' | 'all';

/** A server definition that was checked and expanded. */
export interface CheckedDefinition {
  /** The entry in the spelling of `signalbox.json`, with its references. Undefined for an unusable entry. */
  readonly entry: ServerEntry | undefined;
  readonly server: ServerConfig | undefined;
  /** Problems, each beginning with the JSON path `mcpServers.NAME`. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

/** Definitions of the servers, and their changes by the REST API. */
export interface ServerEditing {
  readonly mode: EditMode;
  /** File of the changes, in the data directory. */
  readonly file: string;
  readonly changes: ServerChanges;
  /** Servers of the configuration file by name, also those that the changes replace or remove. */
  readonly configured: ReadonlyMap<string, FileServer>;
  /** Servers of the file of changes by name. */
  readonly stored: ReadonlyMap<string, FileServer>;
  /** Servers of the command line, which cannot be changed. Default: none. */
  readonly fixed?: ReadonlySet<string>;
  /** Reads a definition as an entry of the configuration file is read. */
  check(
    name: string,
    definition: { readonly [member: string]: unknown },
  ): Promise<CheckedDefinition>;
}

export interface EditingContext {
  readonly mode: EditMode | 'off';
  readonly role: 'all' | 'api' | 'worker';
  /** Whether callers of the REST API need no key. */
  readonly isOpen: boolean;
  readonly dataDir: string;
  readonly sources: ServerSources;
}

export interface EditedServers {
  readonly servers: readonly FileServer[];
  readonly editing: ServerEditing | undefined;
  readonly notices: readonly string[];
  /** Sources in which the inputs that a person typed are remembered. */
  readonly sources: ServerSources;
}

const FILE_NAME = 'servers.json';

/**
 * Applies the changes that were made by the REST API to the servers of the configuration file: a
 * stored definition replaces that of the file, and a removed server is left out. Without editing the
 * stored changes are ignored.
 * @throws ConfigError when editing is not possible, and for an unusable file of changes
 */
export async function editedServers(
  { servers, inputs }: Pick<ParsedConfig, 'servers' | 'inputs'>,
  { mode, role, isOpen, dataDir, sources: given }: EditingContext,
): Promise<EditedServers> {
  const file = join(dataDir, FILE_NAME);
  const { ask, recall } = rememberedAnswers(given.ask);
  const sources = { ...given, ask };
  if (mode === 'off') return { servers, editing: undefined, notices: [], sources };
  checkEditing(mode, { role, isOpen });
  const stored = await readServerChanges(file, sources.readFile);
  const replaced = new Map(stored.servers.map((server) => [server.name, server]));
  const kept = servers.filter(
    ({ name }) => !replaced.has(name) && !stored.changes.removed.has(name),
  );
  const known = new Set(servers.map(({ name }) => name));
  return {
    servers: [...kept, ...stored.servers.map((server) => allowed(server, mode))],
    editing: {
      mode,
      file,
      changes: stored.changes,
      configured: new Map(servers.map((server) => [server.name, server])),
      stored: replaced,
      check: (name, definition) =>
        checkDefinition(name, definition, { inputs, sources: { ...given, ask: recall } }),
    },
    notices: [...known].flatMap((name) => {
      if (replaced.has(name)) return [`${file} replaces the server ${name} of the configuration`];
      return stored.changes.removed.has(name)
        ? [`${file} removes the server ${name} of the configuration`]
        : [];
    }),
    sources,
  };
}

/** @throws ConfigError */
function checkEditing(
  mode: EditMode,
  { role, isOpen }: Pick<EditingContext, 'role' | 'isOpen'>,
): void {
  if (role !== 'all')
    throw new ConfigError(
      `edit_servers: "${mode}" is not possible with --role ${role}, because the processes of a service do not share changes of servers; use --role all, or set edit_servers to "off"`,
    );
  if (mode === 'all' && isOpen)
    throw new ConfigError(
      'edit_servers: "all" lets every caller of the REST API start any program on this machine, so requests must be authenticated: set the environment variable SIGNALBOX_TOKEN to a secret that clients must send, or configure api_keys, or set edit_servers to "remote"',
    );
}

/** Returns the stored server, or an unusable one if the mode does not allow it. */
function allowed(server: FileServer, mode: EditMode): FileServer {
  if (server.isRemote || mode === 'all' || server.entry === undefined) return server;
  return {
    ...server,
    entry: undefined,
    problems: [
      `mcpServers.${server.name}: is in ${FILE_NAME} of the data directory and is started with a command, which edit_servers "remote" does not allow; set edit_servers to "all", or remove the server`,
    ],
  };
}

async function checkDefinition(
  name: string,
  definition: { readonly [member: string]: unknown },
  { inputs, sources }: Pick<ParsedConfig, 'inputs'> & { readonly sources: ServerSources },
): Promise<CheckedDefinition> {
  const { server: file, unread } = checkServerEntry(name, definition);
  if (file.entry === undefined || unread.length > 0)
    return {
      entry: file.entry,
      server: undefined,
      problems: [...file.problems, ...unread],
      notices: [],
    };
  const { servers, invalid, notices } = await readServers({ servers: [file], inputs }, sources);
  return {
    entry: file.entry,
    server: servers[0],
    problems: invalid.flatMap(({ problems }) => problems),
    notices,
  };
}

type Ask = NonNullable<ServerSources['ask']>;

/** Returns a function that asks a person for each input once, and one that only returns the earlier answers. */
function rememberedAnswers(ask: ServerSources['ask']): {
  readonly ask: ServerSources['ask'];
  readonly recall: Ask;
} {
  const answers = new Map<string, ReturnType<Ask>>();
  return {
    ask:
      ask &&
      ((input: ConfigInput) => {
        const answer = answers.get(input.id) ?? ask(input);
        answers.set(input.id, answer);
        return answer;
      }),
    recall: ({ id }) => answers.get(id) ?? Promise.resolve(undefined),
  };
}
