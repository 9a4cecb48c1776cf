import { isLoopback } from '@signalbox/mcp-core';
import { PollLoop } from '../fleet/poll-loop.ts';
import { REDIRECT_PATH } from '../http/redirect-path.ts';
import { isRemote } from '../config/config.ts';
import { hasLogins } from '../oauth/server-access.ts';
import { StoredLogins } from '../oauth/stored-logins.ts';
import type { RunCommands } from '../ports/run-engine.ts';
import { FailureLog } from '../run/core/failure-log.ts';
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
  /** Returns a function that repeats work, and logs its failures until the close. */
  const logged = (what: string, work: () => Promise<void> | undefined) => {
    const failures = new FailureLog(logger, `${what} failed and will be retried`);
    return async (): Promise<void> => {
      try {
        await work();
        failures.succeeded();
      } catch (error) {
        if (loop !== undefined) failures.failed(error);
      }
    };
  };
  const finish = logged('finishing logins', () => logins.sweep());
  const lookForLogins = logged('looking for logins', () => pool?.lookForLogins());
  const look = async (): Promise<void> => {
    await finish();
    await lookForLogins();
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
        .catch((error: unknown) => {
          if (loop !== undefined)
            logger.error(
              'stored logins could not be encrypted with the new key; the next start retries',
              { error },
            );
        });
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
