import { isPlainObject } from '../json/plain-object.ts';

/** A server entry of any host's configuration in the spelling of `signalbox.json`. */
export interface HostEntry {
  /** Name in the file. */
  readonly configuredName: string;
  /** Path of the entry in the file. */
  readonly location: readonly [section: string, name: string];
  readonly entry: unknown;
}

/**
 * Members that hold servers: `mcpServers` in most hosts, `servers` in VS Code, `context_servers` in
 * Zed.
 */
export const SERVER_SECTIONS = ['mcpServers', 'servers', 'context_servers'] as const;

/** Returns the servers of a configuration file that are not disabled. */
export function hostEntries(input: { readonly [name: string]: unknown }): readonly HostEntry[] {
  return SERVER_SECTIONS.flatMap((section) => {
    const servers = input[section];
    if (!isPlainObject(servers)) return [];
    return Object.entries(servers).flatMap(([name, entry]) =>
      isDisabled(entry)
        ? []
        : [{ configuredName: name, location: [section, name] as const, entry: inOurWords(entry) }],
    );
  });
}

function isDisabled(entry: unknown): boolean {
  return isPlainObject(entry) && (entry['disabled'] === true || entry['enabled'] === false);
}

const STREAMABLE_HTTP = /^(?:streamable[-_ ]?http|http[-_]?stream)$/i;
/** Members for addresses in other hosts: `httpUrl` in Gemini CLI, `serverUrl` in Windsurf. */
const ADDRESS_FIELDS = ['httpUrl', 'serverUrl'] as const;

/** Returns an entry of any host in the spelling of `signalbox.json`. */
export function inOurWords(entry: unknown): unknown {
  if (!isPlainObject(entry)) return entry;
  const { httpUrl, serverUrl, transport, ...rest } = entry;
  const address = { httpUrl, serverUrl };
  const field = ADDRESS_FIELDS.find((name) => address[name] !== undefined);
  const written = {
    ...rest,
    ...(rest['type'] === undefined && transport !== undefined ? { type: transport } : {}),
    ...(rest['url'] === undefined && field !== undefined ? { url: address[field] } : {}),
    ...(field === 'httpUrl' && rest['url'] === undefined && rest['type'] === undefined
      ? { type: 'http' }
      : {}),
  };
  const { type } = written;
  return typeof type === 'string' && STREAMABLE_HTTP.test(type)
    ? { ...written, type: 'http' }
    : written;
}
