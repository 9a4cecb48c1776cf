import { isLoopback } from '@signalbox/mcp-core';
import type { Server } from '@signalbox/mcp-core/server';
import { parseHttpAddress } from './http-address.ts';
import type { Logger } from './logger.ts';
import { UsageError } from './usage-error.ts';

/** Time limit for running responses at shutdown, in milliseconds. */
const drainMs = 300;

export interface HttpServing {
  readonly name: string;
  /** Value of `--http`. */
  readonly http: string;
  readonly server: Server;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/**
 * Serves over HTTP until `end` resolves; rejects when it cannot listen. Writes the URL to stderr.
 * Clients must send the token of `MCP_HTTP_TOKEN`, if set.
 * @throws UsageError for an address that cannot be used, or one that others can reach without a token
 */
export async function serveHttpUntil(
  end: Promise<void>,
  { name, http, server, env, log }: HttpServing,
): Promise<void> {
  const { host, port } = parseHttpAddress(http);
  const { MCP_HTTP_TOKEN: token = '' } = env;
  if (token === '' && !isLoopback(host)) {
    throw new UsageError(
      `--http ${http} can be reached by others: set MCP_HTTP_TOKEN to a secret that clients have to send as bearer token`,
    );
  }
  const { serveHttp } = await import('@signalbox/mcp-core/http/server');
  const onError = (error: unknown): void =>
    log.error(error instanceof Error ? error.message : String(error));
  const listener = await serveHttp(server, {
    host,
    port,
    limits: { drainMs },
    onError,
    ...(token === '' ? {} : { access: { bearerToken: token } }),
  }).catch((error: unknown) => {
    throw new UsageError(`--http ${http}: ${reasonOf(error)}`, { cause: error });
  });
  process.stderr.write(`${name}: serving ${listener.url}\n`);
  await end;
  await listener.close();
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the port is in use; choose another, or 0 for any free one';
  if (code === 'EACCES') return 'the port may not be used; choose one above 1023';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'this machine has no such address';
  return message;
}
