import {
  type AuthorizationError,
  beginDeviceLogin,
  beginLogin,
  finishDeviceLogin,
  finishLogin,
  logOut,
  type LoginOptions,
  type LoginRequest,
  type LoginTarget,
  type TokenKey,
} from '@signalbox/mcp-core/auth';
import { isRemote, type RemoteServerConfig, type ServerConfig } from '../config/config.ts';
import type { RemoteServersSettings } from '../config/remote-auth.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import {
  LoginError,
  type BrowserLogin,
  type DeviceCodeLogin,
  type LoginWish,
  type RedirectOutcome,
  type ServerLogins,
} from '../ports/server-logins.ts';
import { messageOf } from '../text/error-text.ts';
import { readMark, writeMark } from './login-marks.ts';
import { PendingLogins, type LoginRow } from './pending-logins.ts';
import type { SecretVault } from './secret-vault.ts';
import { hasLogins, serverAccess } from './server-access.ts';
import { clientOfTokens, tokensName } from './stored-tokens.ts';

export interface StoredLoginsOptions {
  /** Returns the configured servers. */
  readonly servers: () => readonly ServerConfig[];
  readonly settings?: RemoteServersSettings | undefined;
  readonly vault: SecretVault;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the address of redirects; undefined while this process has none. */
  readonly redirectUri: () => string | undefined;
  /**
   * Continues the work that waits for a login of the server, and announces it to other processes.
   * May be called again for the same login.
   */
  readonly onLoggedIn: (server: string) => Promise<void>;
  /** Announces a logout to other processes. */
  readonly onLoggedOut: (server: string) => void;
}

/** Milliseconds until a login is continued again. */
const RETRY_MS = 5000;

/** Address for logins without a redirect, which has to be given all the same. */
const NO_REDIRECT = 'http://127.0.0.1/';

const NO_ADDRESS =
  'this service has no address to which a browser can be redirected: set public_url in the configuration, or use the method device';

/** Logins whose state is in the store, so that any process can finish them, also after a crash. */
export class StoredLogins implements ServerLogins {
  readonly #options: StoredLoginsOptions;
  readonly #pending: PendingLogins;
  readonly #closing = new AbortController();
  /** Names of the logins that this process continues, or has tried to continue a moment ago. */
  readonly #awaited = new Set<string>();
  readonly #waits = new Set<Promise<unknown>>();

  constructor(options: StoredLoginsOptions) {
    this.#options = options;
    this.#pending = new PendingLogins(options.vault, options.clock);
  }

  async begin({ server, needed, method }: LoginWish): Promise<BrowserLogin | DeviceCodeLogin> {
    const config = this.#configOf(server);
    const target = targetOf(config, needed);
    const methods = needed?.methods ?? ['browser'];
    const redirectUri = this.#options.redirectUri();
    const isPossible = redirectUri !== undefined && methods.includes('browser');
    const chosen = method ?? (isPossible || !methods.includes('device') ? 'browser' : 'device');
    if (chosen === 'browser' && redirectUri === undefined)
      throw new LoginError('unsupported', NO_ADDRESS);
    try {
      return await (chosen === 'browser'
        ? this.#beginBrowser(server, target, await this.#optionsOf(config, redirectUri))
        : this.#beginDevice(server, target, await this.#optionsOf(config, undefined)));
    } catch (error) {
      throw new LoginError(
        'failed',
        `the login at ${server} could not begin: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
  }

  async finish(query: URLSearchParams): Promise<RedirectOutcome> {
    const row = await this.#pending.ofState(query.get('state') ?? '');
    if (row?.login.type !== 'browser') return { type: 'unknown' };
    const { server, pending } = row.login;
    const redirect = `${pending.redirectUri}?${query.toString()}`;
    const outcome = await this.#exclusively(row, async () => {
      const tokensBefore = await this.#revisionOf(pending.key);
      // From here on the redirect is in the store: another process goes on when this one ends.
      const redirected = await this.#pending.redirected(row, { redirect, tokensBefore });
      if (redirected === undefined) return { type: 'unknown' } as const;
      const ended = await this.#end(row, async (config) =>
        finishLogin(pending, redirect, await this.#optionsOf(config, pending.redirectUri)),
      );
      return ended ?? ({ type: 'pending', server } as const);
    });
    return outcome ?? { type: 'unknown' };
  }

  async logOut(server: string): Promise<{ readonly isRevoked: boolean }> {
    const config = this.#configOf(server);
    const { vault, clock, onLoggedOut } = this.#options;
    const mark = await readMark(vault, server);
    const revoked =
      mark?.key === undefined ? { isRevoked: true } : await this.#revoke(config, mark.key);
    await writeMark(vault, server, { key: undefined, at: clock.now() });
    onLoggedOut(server);
    return revoked;
  }

  async loginOf(
    server: string,
  ): Promise<{ readonly issuer: string; readonly loggedInAt: number } | undefined> {
    if (this.#withLogins(server) === undefined) return undefined;
    const mark = await readMark(this.#options.vault, server);
    return mark?.key && { issuer: mark.key.issuer, loggedInAt: mark.at };
  }

  /**
   * Removes the logins that have expired, and continues in the background those that wait for this
   * service.
   */
  async sweep(): Promise<void> {
    if (!this.#options.servers().some(canLogIn)) return;
    await this.#options.vault.removeExpired();
    for (const row of await this.#pending.due()) this.#continueLogin(row);
  }

  /** Ends the work on logins, which another process continues. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#waits);
  }

  async #beginBrowser(
    server: string,
    target: LoginTarget,
    options: LoginOptions,
  ): Promise<BrowserLogin> {
    const { url, pending } = await beginLogin(target, options);
    const expiresAt = await this.#pending.add({ type: 'browser', server, pending });
    return { method: 'browser', url, expiresAt };
  }

  async #beginDevice(
    server: string,
    target: LoginTarget,
    options: LoginOptions,
  ): Promise<DeviceCodeLogin> {
    const begun = await beginDeviceLogin(target, options);
    const { pending, userCode, verificationUri: url, verificationUriComplete } = begun;
    await this.#pending.add({ type: 'device', server, pending });
    await this.sweep();
    const { expiresAt } = pending;
    return { method: 'device', userCode, url, completeUrl: verificationUriComplete, expiresAt };
  }

  /** Continues a login that another process has left, or that waits for a code, unless another process does. */
  #continueLogin(row: LoginRow): void {
    const { login, name } = row;
    if (this.#awaited.has(name)) return;
    this.#awaited.add(name);
    const { clock, logger } = this.#options;
    const wait = this.#exclusively(row, () => this.#end(row, (config) => this.#resume(row, config)))
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted)
          logger.error('a login could not be finished', {
            server: login.server,
            error: messageOf(error),
          });
      })
      .finally(() => {
        clock.after(RETRY_MS, () => this.#awaited.delete(name));
        this.#waits.delete(wait);
      });
    this.#waits.add(wait);
  }

  async #resume({ login }: LoginRow, config: RemoteServerConfig): Promise<void> {
    const { signal } = this.#closing;
    if (login.type === 'device') {
      const options = await this.#optionsOf(config, undefined);
      await finishDeviceLogin(login.pending, { ...options, signal });
      return;
    }
    const { pending, redirect, tokensBefore } = login;
    // A process that ended after it stored the tokens has used the code.
    if (redirect === undefined || (await this.#revisionOf(pending.key)) !== tokensBefore) return;
    await finishLogin(pending, redirect, await this.#optionsOf(config, pending.redirectUri));
  }

  /** Runs the end of a login unless another process does, which resolves with undefined. */
  #exclusively<T>({ name }: LoginRow, work: () => Promise<T>): Promise<T | undefined> {
    return this.#options.vault.tryLocked(`login ${name}`, work);
  }

  /**
   * Obtains the tokens of a login and stores its outcome. Returns undefined when the login has ended
   * or continues later.
   */
  async #end(
    row: LoginRow,
    obtain: (config: RemoteServerConfig) => Promise<unknown>,
  ): Promise<RedirectOutcome | undefined> {
    const { vault, clock, logger, onLoggedIn } = this.#options;
    const { server, pending } = row.login;
    const config = this.#withLogins(server);
    if (config === undefined || !(await this.#pending.isOpen(row))) return undefined;
    try {
      await obtain(config);
    } catch (error) {
      if (this.#closing.signal.aborted) return undefined;
      const { code } = error as Partial<AuthorizationError>;
      logger.warn('a login failed', { server, error: messageOf(error) });
      if (code === 'unreachable') return undefined;
      await this.#pending.remove(row);
      return { type: code === 'authorization-refused' ? 'refused' : 'failed', server };
    }
    await writeMark(vault, server, { key: pending.key, at: clock.now() });
    await onLoggedIn(server);
    await this.#pending.remove(row);
    logger.info('a person logged in to a server', { server, issuer: pending.key.issuer });
    return { type: 'logged-in', server };
  }

  async #revoke(
    config: RemoteServerConfig,
    key: TokenKey,
  ): Promise<{ readonly isRevoked: boolean }> {
    const { registration, ...options } = await this.#optionsOf(config, undefined);
    const client = await clientOfTokens(this.#options.vault, key);
    const known = client === undefined ? [] : [{ ...client, issuer: key.issuer }];
    const clients = [...(registration?.clients ?? []), ...known];
    return logOut(key, { ...options, registration: { ...registration, clients } });
  }

  async #revisionOf(key: TokenKey): Promise<string> {
    return (await this.#options.vault.revisionOf(tokensName(key))) ?? 'none';
  }

  #configOf(server: string): RemoteServerConfig {
    const config = this.#withLogins(server);
    if (config !== undefined) return config;
    throw new LoginError(
      'unsupported',
      `nobody can log in to the server ${server}: it is not remote, or its configuration has a token or a grant for it`,
    );
  }

  /** Returns a server at which persons log in. */
  #withLogins(name: string): RemoteServerConfig | undefined {
    return this.#options
      .servers()
      .filter(canLogIn)
      .find((server) => server.name === name);
  }

  async #optionsOf(
    config: RemoteServerConfig,
    redirectUri: string | undefined,
  ): Promise<LoginOptions> {
    const { vault, settings } = this.#options;
    const access = await serverAccess(config, vault, settings);
    return { ...access, redirectUri: redirectUri ?? NO_REDIRECT };
  }
}

function canLogIn(server: ServerConfig): server is RemoteServerConfig {
  return isRemote(server) && hasLogins(server) && (server.auth?.grant.kind ?? 'user') === 'user';
}

/** Returns the target of a login. Its scopes are those of the needed login, or of the configuration. */
function targetOf(
  { url, auth }: RemoteServerConfig,
  needed: LoginRequest | undefined,
): LoginTarget {
  return needed ?? { server: url, scopes: auth?.scopes };
}
