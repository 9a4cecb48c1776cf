import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isLoopback } from '@signalbox/mcp-core';
import type { AuthSettings } from './auth-options.ts';
import { parseHttpAddress } from './http-address.ts';

export interface HostConfigInput {
  /** Name of the server in the host's list. */
  readonly name: string;
  /** The running program and its script. */
  readonly command: readonly [string, string];
  /** The arguments without `--print-config`. */
  readonly args: readonly string[];
  /** Environment variables that set options. */
  readonly env: { readonly [name: string]: string };
  readonly http: string | undefined;
  readonly auth: AuthSettings | undefined;
  /** The positional arguments among `args`. */
  readonly positionals: readonly string[];
}

/**
 * Returns the configuration of this server for a host: JSON with `mcpServers`, as most hosts read
 * it, without secrets.
 */
export function hostConfig(input: HostConfigInput): string {
  return `${JSON.stringify({ mcpServers: { [input.name]: entryOf(input) } }, null, 2)}\n`;
}

function entryOf(input: HostConfigInput): object {
  const { http, auth } = input;
  if (http === undefined) return stdioEntry(input);
  // The host logs in by itself.
  return auth === undefined ? httpEntry(http) : { type: 'http', url: auth.resource };
}

/**
 * Returns the entry of a stdio server. Paths are absolute, because a host starts the server in any
 * folder; a package that npx installed for one run is started by npx.
 */
function stdioEntry({
  command: [program, script],
  args,
  env,
  positionals,
}: HostConfigInput): object {
  const own = args.map((arg, index) => withAbsolutePath(arg, args[index - 1], positionals));
  const start = script.includes(`${sep}_npx${sep}`)
    ? { command: 'npx', args: ['-y', packageOf(script), ...own] }
    : { command: program, args: [script, ...own] };
  const variables: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(env)) variables[name] = withPaths(name, value);
  return { ...start, ...(Object.keys(env).length > 0 ? { env: variables } : {}) };
}

/**
 * Returns an argument with an absolute path: a positional argument that names an existing file or
 * folder, the value of an option such as `--db-path` or `--data-dir`, also of a file that the server
 * creates, and the file of `--db NAME=FILE`. An option and its value may be one argument.
 */
function withAbsolutePath(
  arg: string,
  before: string | undefined,
  positionals: readonly string[],
): string {
  const [, option, value] = /^(--[\w-]+)=(.+)$/s.exec(arg) ?? [];
  if (option !== undefined && value !== undefined)
    return `${option}=${withAbsolutePath(value, option, [])}`;
  if (/^--(?:[\w-]+-)?(?:path|dir)$/.test(before ?? '')) return resolve(arg);
  if (before === '--db') return withAbsoluteFile(arg);
  return positionals.includes(arg) && existsSync(arg) ? resolve(arg) : arg;
}

/** Returns `NAME=FILE` with an absolute path; any other text as it is. */
function withAbsoluteFile(text: string): string {
  const [, name, file] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  return name === undefined || file === undefined ? text : `${name}=${resolve(file)}`;
}

/** Returns the value of a variable with absolute paths, as the option that it sets has them. */
function withPaths(variable: string, value: string): string {
  if (/_(?:PATH|DIR)$/.test(variable)) return resolve(value);
  return variable.endsWith('_DB') ? value.replaceAll(/[^;\n]+/g, withAbsoluteFile) : value;
}

/** Returns `name@version` of the package that contains a script. */
function packageOf(script: string): string {
  const { name, version } = JSON.parse(
    readFileSync(join(dirname(realpathSync(script)), 'package.json'), 'utf8'),
  ) as { readonly name: string; readonly version: string };
  return `${name}@${version}`;
}

/** Listening addresses that a client cannot connect to. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function httpEntry(http: string): object {
  const { host, port } = parseHttpAddress(http);
  const reachable = EVERY_ADDRESS.has(host) ? '127.0.0.1' : host;
  const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/mcp`;
  // The name of the variable, because the token itself must not be in a file.
  return {
    type: 'http',
    url,
    ...(isLoopback(host) ? {} : { headers: { Authorization: 'Bearer ${MCP_HTTP_TOKEN}' } }),
  };
}
