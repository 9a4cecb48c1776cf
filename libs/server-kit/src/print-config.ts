import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isLoopback, parseHttpAddress } from './http-address.ts';

export interface HostConfigInput {
  /** Of the server in the host's list. */
  readonly name: string;
  /** The program that runs now, and its script. */
  readonly command: readonly [string, string];
  /** The arguments without `--print-config`. */
  readonly args: readonly string[];
  /** Variables that give options. */
  readonly env: { readonly [name: string]: string };
  readonly http: string | undefined;
  /** The positional arguments among `args`. */
  readonly positionals: readonly string[];
}

/** What goes into the configuration of a host to have this very server: JSON with `mcpServers`, as most hosts read it. Secrets are never in it. */
export function hostConfig(input: HostConfigInput): string {
  const { name, http } = input;
  const entry = http === undefined ? stdioEntry(input) : httpEntry(http);
  return `${JSON.stringify({ mcpServers: { [name]: entry } }, null, 2)}\n`;
}

/** A host starts the server in a folder of its own choice, so paths are absolute; what npx installed for one run is installed again. */
function stdioEntry({
  command: [program, script],
  args,
  env,
  positionals,
}: HostConfigInput): object {
  const own = args.map((arg, index) =>
    isPath(arg, args[index - 1], positionals) ? resolve(arg) : arg,
  );
  const start = script.includes(`${sep}_npx${sep}`)
    ? { command: 'npx', args: ['-y', packageOf(script), ...own] }
    : { command: program, args: [script, ...own] };
  return { ...start, ...(Object.keys(env).length > 0 ? { env } : {}) };
}

/** Whether the argument names a file or folder that exists: as a positional argument, or after an option such as `--db-path` or `--data-dir`. */
function isPath(arg: string, before: string | undefined, positionals: readonly string[]): boolean {
  return (
    (positionals.includes(arg) || /^--(?:[\w-]+-)?(?:path|dir)$/.test(before ?? '')) &&
    existsSync(arg)
  );
}

/** `name@version` of the package that a script lies in. */
function packageOf(script: string): string {
  const { name, version } = JSON.parse(
    readFileSync(join(dirname(realpathSync(script)), 'package.json'), 'utf8'),
  ) as { readonly name: string; readonly version: string };
  return `${name}@${version}`;
}

/** Every address of this machine is no address to connect to. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function httpEntry(http: string): object {
  const { host, port } = parseHttpAddress(http);
  const reachable = EVERY_ADDRESS.has(host) ? '127.0.0.1' : host;
  const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/mcp`;
  // The name of the variable: the token itself belongs in no file.
  return {
    type: 'http',
    url,
    ...(isLoopback(host) ? {} : { headers: { Authorization: 'Bearer ${MCP_HTTP_TOKEN}' } }),
  };
}
