import { createHash, randomUUID } from 'node:crypto';
import type { PendingDeviceLogin, PendingLogin } from '@signalbox/mcp-core/auth';
import type { Clock } from '../ports/clock.ts';
import type { SecretName } from '../ports/store/secrets.ts';
import type { SecretVault } from './secret-vault.ts';

/** A login that has begun. */
export type StoredLogin =
  | {
      readonly type: 'browser';
      readonly server: string;
      readonly pending: PendingLogin;
      /** URL of the redirect, once the browser has come back. */
      readonly redirect?: string;
      /** Revision of the tokens when the browser came back. */
      readonly tokensBefore?: string;
    }
  | { readonly type: 'device'; readonly server: string; readonly pending: PendingDeviceLogin };

/** A stored login with its place. */
export interface LoginRow {
  readonly name: string;
  readonly revision: string;
  readonly login: StoredLogin;
}

/** Milliseconds that a person has for a login, and the service for its end. */
export const LOGIN_MS = 10 * 60_000;

/** The logins that have begun, encrypted and known to every process. */
export class PendingLogins {
  readonly #vault: SecretVault;
  readonly #clock: Clock;

  constructor(vault: SecretVault, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  /** Stores a login. Returns the time at which it expires. */
  async add(login: StoredLogin): Promise<number> {
    const name =
      login.type === 'browser' ? browserName(login.pending.state) : `device ${randomUUID()}`;
    const expiresAt =
      login.type === 'browser' ? this.#clock.now() + LOGIN_MS : login.pending.expiresAt;
    await this.#vault.write(placeOf(name), login, expiresAt);
    return expiresAt;
  }

  /** Returns the login that waits for the redirect with a state. */
  async ofState(state: string): Promise<LoginRow | undefined> {
    const name = browserName(state);
    const found = await this.#vault.read(placeOf(name));
    if (found === undefined || this.#isOver(found.expiresAt)) return undefined;
    return { ...found, login: found.value as StoredLogin };
  }

  /** Returns the logins for which the service still has something to do. */
  async due(): Promise<readonly LoginRow[]> {
    const rows = await this.#vault.list('login');
    return rows
      .filter(({ expiresAt }) => !this.#isOver(expiresAt))
      .map((row) => ({ ...row, login: row.value as StoredLogin }))
      .filter(({ login }) => login.type === 'device' || login.redirect !== undefined);
  }

  /** Stores the redirect of a login. Returns undefined when it had one, or has ended. */
  async redirected(
    { name, revision, login }: LoginRow,
    { redirect, tokensBefore }: { readonly redirect: string; readonly tokensBefore: string },
  ): Promise<LoginRow | undefined> {
    if (login.type !== 'browser' || login.redirect !== undefined) return undefined;
    const value: StoredLogin = { ...login, redirect, tokensBefore };
    const expiresAt = this.#clock.now() + LOGIN_MS;
    const next = await this.#vault.replace(placeOf(name), revision, { value, expiresAt });
    return next === undefined ? undefined : { name, revision: next, login: value };
  }

  /** Whether a login has not ended. */
  async isOpen({ name }: LoginRow): Promise<boolean> {
    return (await this.#vault.revisionOf(placeOf(name))) !== undefined;
  }

  async remove({ name }: LoginRow): Promise<void> {
    await this.#vault.remove(placeOf(name));
  }

  #isOver(expiresAt: number | undefined): boolean {
    return expiresAt !== undefined && expiresAt <= this.#clock.now();
  }
}

/** Only the digest of the state is stored in the clear. */
function browserName(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}

function placeOf(name: string): SecretName {
  return { kind: 'login', name };
}
