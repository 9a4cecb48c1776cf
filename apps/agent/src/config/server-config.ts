import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isLoopback } from '@signalbox/mcp-core';
import {
  isRemote,
  type RemoteServerConfig,
  type ServerConfig,
  type ServerRules,
  type StdioServerConfig,
} from './config.ts';
import { jsonPath } from './config-problems.ts';
import type { ServerEntry } from './config-schema.ts';
import type { FileServer } from './config-file.ts';
import { expandVariables, type Variables } from './expand-variables.ts';
import { proxySecrets } from './proxy-secrets.ts';
import { toRemoteAddress } from './remote-server.ts';
import { secretArguments } from './secret-texts.ts';
import { serverAuth } from './server-auth.ts';

export interface ServerConfigSources {
  readonly variables: Variables;
  /** Base folder of relative `cwd`, `envFile` and `roots`. */
  readonly folder: string;
  readonly homeDir: string;
  /** Reads a text file. */
  readonly readFile: (path: string) => Promise<string>;
}

export interface ReadServer {
  readonly server: ServerConfig;
  /** Problems that make the server unusable, each beginning with the JSON path. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

/** Expands the variables of an entry. */
export async function toServerConfig(
  file: Pick<FileServer, 'name' | 'configuredName' | 'location'>,
  entry: ServerEntry,
  sources: ServerConfigSources,
): Promise<ReadServer> {
  const reading = new Reading(file.location, sources);
  const rules = rulesOf(file, entry, reading);
  if (entry.url === undefined)
    for (const secret of proxySecrets(sources.variables.env)) reading.secrets.add(secret);
  const server =
    entry.url === undefined
      ? await startedServer(rules, entry, reading)
      : remoteServer(rules, { ...entry, url: entry.url }, reading);
  const notices =
    isRemote(server) && isOverheard(server)
      ? [
          `${jsonPath([...file.location, 'url'])}: the headers are sent without encryption; use https`,
        ]
      : [];
  return {
    server: { ...server, secrets: [...reading.secrets] },
    problems: reading.problems,
    notices,
  };
}

/** Expands the texts of one entry and collects problems. */
class Reading {
  readonly problems: string[] = [];
  readonly secrets = new Set<string>();
  readonly #location: readonly string[];
  readonly #sources: ServerConfigSources;

  constructor(location: readonly string[], sources: ServerConfigSources) {
    this.#location = location;
    this.#sources = sources;
  }

  text(text: string, ...location: readonly PropertyKey[]): string {
    const expansion = expandVariables(text, this.#sources.variables);
    for (const problem of expansion.problems) this.problem(problem, ...location);
    for (const secret of expansion.secrets) this.secrets.add(secret);
    return expansion.text;
  }

  texts(
    texts: { readonly [name: string]: string },
    field: string,
  ): { readonly [name: string]: string } {
    return Object.fromEntries(
      Object.entries(texts).map(([name, value]) => [name, this.text(value, field, name)]),
    );
  }

  folder(path: string, ...location: readonly PropertyKey[]): string {
    return resolve(
      this.#sources.folder,
      this.text(path, ...location).replace(/^~(?=$|[/\\])/, this.#sources.homeDir),
    );
  }

  /** Returns the variables of an env file. An unreadable file is a problem and has none. */
  async envFile(path: string): Promise<{ readonly [name: string]: string }> {
    try {
      return Object.fromEntries(
        Object.entries(parseEnv(await this.#sources.readFile(this.folder(path, 'envFile')))).map(
          ([name, value]) => [name, value ?? ''],
        ),
      );
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      this.problem(`cannot be read (${code}); check the path`, 'envFile');
      return {};
    }
  }

  problem(problem: string, ...location: readonly PropertyKey[]): void {
    this.problems.push(`${jsonPath([...this.#location, ...location])}: ${problem}`);
  }
}

function rulesOf(
  { name, configuredName }: Pick<FileServer, 'name' | 'configuredName'>,
  { signalbox: policy = {} }: ServerEntry,
  reading: Reading,
): ServerRules {
  return {
    name,
    ...(configuredName === name ? {} : { configuredName }),
    trust: policy.trust ?? false,
    allow: policy.allow ?? [],
    deny: policy.deny ?? [],
    roots: (policy.roots ?? []).map((root, index) =>
      reading.folder(root, 'signalbox', 'roots', index),
    ),
    era: policy.era ?? 'auto',
    approval: policy.approval ?? 'default',
    approvals: policy.approvals ?? [],
    ...(policy.maxMessageBytes === undefined ? {} : { maxMessageBytes: policy.maxMessageBytes }),
    sampling: policy.sampling ?? 'ask',
    samplingReview: policy.samplingReview ?? false,
    ...connectionsOf(policy, reading),
    ...(policy.connectMs === undefined ? {} : { connectMs: policy.connectMs }),
    ...(policy.callsPerMinute === undefined ? {} : { callsPerMinute: policy.callsPerMinute }),
  };
}

/** Returns the limit of connections, and whether all workers share one connection. */
function connectionsOf(
  { connections, singleton = false }: NonNullable<ServerEntry['signalbox']>,
  reading: Reading,
): Pick<ServerRules, 'connections' | 'singleton'> {
  if (singleton && connections !== undefined && connections !== 1)
    reading.problem(
      `is ${connections}, but a server with singleton has one connection; remove it or set it to 1`,
      'signalbox',
      'connections',
    );
  if (singleton) return { connections: 1, singleton };
  return connections === undefined ? {} : { connections };
}

async function startedServer(
  rules: ServerRules,
  { command = '', args = [], env = {}, envFile, cwd }: ServerEntry,
  reading: Reading,
): Promise<StdioServerConfig> {
  const server = {
    ...rules,
    command: reading.text(command, 'command'),
    args: args.map((argument, index) => reading.text(argument, 'args', index)),
    env: {
      ...(envFile === undefined ? {} : await reading.envFile(envFile)),
      ...reading.texts(env, 'env'),
    },
    cwd: cwd === undefined ? undefined : reading.folder(cwd, 'cwd'),
  };
  for (const secret of secretArguments(server.args)) reading.secrets.add(secret);
  if (server.command.trim() === '' && reading.problems.length === 0)
    reading.problem('is empty', 'command');
  return server;
}

function remoteServer(
  rules: ServerRules,
  { type, url, headers = {}, signalbox }: ServerEntry & { readonly url: string },
  reading: Reading,
): RemoteServerConfig {
  const given = { url: reading.text(url, 'url'), headers: reading.texts(headers, 'headers') };
  const transport = type === 'http' || type === 'sse' ? type : 'auto';
  const server: RemoteServerConfig = {
    ...rules,
    ...(transport === 'sse' && signalbox?.era === undefined ? { era: 'legacy' } : {}),
    transport,
    ...given,
    ...(signalbox?.auth === undefined ? {} : { auth: serverAuth(signalbox.auth, reading) }),
  };
  // A text with an unresolved variable is not validated further.
  if (reading.problems.length > 0) return server;
  const address = toRemoteAddress(given);
  if ('problem' in address) {
    reading.problem(address.problem, address.location);
    return server;
  }
  for (const secret of address.secrets) reading.secrets.add(secret);
  return { ...server, url: address.url, headers: address.headers };
}

function isOverheard({ url, headers }: RemoteServerConfig): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === 'http:' && Object.keys(headers).length > 0 && !isLoopback(hostname ?? '');
}
