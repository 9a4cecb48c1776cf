import type { Server } from '@signalbox/mcp-core/server';
import type { AuthSettings } from './auth-options.ts';
import { httpAccess } from './http-access.ts';
import { parseHttpAddress } from './http-address.ts';
import type { Logger } from './logger.ts';
import { UsageError } from './usage-error.ts';

/** Time limit for running responses at shutdown, in milliseconds. */
const drainMs = 300;

export interface HttpServing {
  readonly name: string;
  /** Value of `--http`. */
  readonly http: string;
  readonly auth: AuthSettings | undefined;
  readonly server: Server;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/**
 * Serves over HTTP until `end` resolves; rejects when it cannot listen. Writes the URL to stderr.
 * Clients must send an access token of the authorization server in `auth`, or the token of
 * `MCP_HTTP_TOKEN`, if set.
 * @throws UsageError for an address that cannot be used, or one that others can reach without a token
 */
export async function serveHttpUntil(
  end: Promise<void>,
  { name, http, auth, server, env, log }: HttpServing,
): Promise<void> {
  const { host, port } = parseHttpAddress(http);
  const access = await httpAccess({ http, host, auth, env, log });
  const { serveHttp } = await import('@signalbox/mcp-core/http/server');
  const onError = (error: unknown): void =>
    log.error(error instanceof Error ? error.message : String(error));
  const listener = await serveHttp(server, {
    host,
    port,
    limits: { drainMs },
    onError,
    access,
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
