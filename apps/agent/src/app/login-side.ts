import { isLoopback } from '@signalbox/mcp-core';
import { PollLoop } from '../fleet/poll-loop.ts';
import { REDIRECT_PATH } from '../http/redirect-path.ts';
import { isRemote } from '../config/config.ts';
import { hasLogins } from '../oauth/server-access.ts';
import { StoredLogins } from '../oauth/stored-logins.ts';
import type { RunCommands } from '../ports/run-engine.ts';
import type { ServerLogins } from '../ports/server-logins.ts';
import type { ServerPool } from '../mcp/server-pool.ts';
import type { AppOptions } from './app-options.ts';
import { isShared, type Foundation } from './foundation.ts';

/** The logins at remote servers in one process. */
export interface LoginSide {
  readonly logins: ServerLogins;
  /** Finishes the logins of ended processes, and notices those of others until the close. */
  start(): void;
  /** Sets the address of the HTTP server, at which redirects arrive. */
  listening(url: string): void;
  close(): Promise<void>;
}

export interface LoginSideParts {
  readonly engine: Pick<RunCommands, 'continueAfterLogin'>;
  /** Undefined in a process without connections. */
  readonly pool?: Pick<ServerPool, 'lookForLogins'>;
}

/** Creates the logins over the encrypted secrets of the store. */
export function createLoginSide(
  { config, logger, serverEditing }: AppOptions,
  { bus, clock, vault, servers }: Foundation,
  { engine, pool }: LoginSideParts,
): LoginSide {
  const { publicUrl } = config;
  let baseUrl = publicUrl;
  let loop: PollLoop | undefined;
  const logins = new StoredLogins({
    servers: () => servers.all,
    settings: config.remoteServers,
    vault,
    clock,
    logger,
    redirectUri: () => (baseUrl === undefined ? undefined : `${baseUrl}${REDIRECT_PATH}`),
    async onLoggedIn(server) {
      await engine.continueAfterLogin(server);
      bus.publish({ type: 'servers' });
    },
    onLoggedOut: () => bus.publish({ type: 'servers' }),
  });
  const report =
    (what: string) =>
    (error: unknown): void => {
      if (loop !== undefined) logger.error(`${what} failed and will be retried`, { error });
    };
  const look = async (): Promise<void> => {
    await logins.sweep().catch(report('finishing logins'));
    await pool?.lookForLogins().catch(report('looking for logins'));
  };
  return {
    logins,
    start() {
      const canHaveLogins = servers.all.some((server) => isRemote(server) && hasLogins(server));
      if (!canHaveLogins && serverEditing === undefined) return;
      if (config.database !== undefined && isShared(config) && config.secretKeys === undefined)
        logger.warn(
          'logins at remote servers are encrypted with a key of this data directory, which processes on other machines do not have; set SIGNALBOX_SECRET_KEY to the same key for all of them',
        );
      loop = new PollLoop(clock, bus, look);
      void vault
        .reseal()
        .then(
          (count) =>
            count > 0 && logger.info('stored logins were encrypted with the new key', { count }),
        )
        .catch(report('encrypting stored logins with the new key'));
    },
    listening(url) {
      // At other addresses, the one that browsers use is not known.
      if (publicUrl === undefined && isLoopback(config.host)) baseUrl = url;
    },
    async close() {
      const ending = loop?.close();
      loop = undefined;
      await Promise.all([ending, logins.close()]);
    },
  };
}
