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
}

/** What goes into the configuration of a host to have this very server: JSON with `mcpServers`, as most hosts read it. Secrets are never in it. */
export function hostConfig({ name, command: [program, script], args, env, http }: HostConfigInput): string {
  const entry = http === undefined ? { command: program, args: [script, ...args], ...(Object.keys(env).length > 0 ? { env } : {}) } : httpEntry(http);
  return `${JSON.stringify({ mcpServers: { [name]: entry } }, null, 2)}\n`;
}

function httpEntry(http: string): object {
  const { host, port } = parseHttpAddress(http);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`;
  // The name of the variable: the token itself belongs in no file.
  return { type: 'http', url, ...(isLoopback(host) ? {} : { headers: { Authorization: 'Bearer ${MCP_HTTP_TOKEN}' } }) };
}
