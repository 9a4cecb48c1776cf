import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../ports/logger.ts';
import {
  SECRET_KINDS,
  type SealedSecret,
  type SecretName,
  type SecretStore,
} from '../ports/store/secrets.ts';
import type { SecretBox } from './secret-box.ts';

export interface VaultOptions {
  readonly secrets: SecretStore;
  /** Returns the keys, which are loaded by the first secret. */
  readonly box: () => SecretBox;
  readonly logger: Logger;
}

/** A decrypted secret. */
export interface OpenedSecret {
  readonly name: string;
  readonly value: unknown;
  readonly revision: string;
  /** Milliseconds since the Unix epoch. Undefined: never. */
  readonly expiresAt: number | undefined;
}

/** Milliseconds for which a lock is kept for a process that has ended. */
const LOCK_LEASE_MS = 20_000;
const LOCK_RENEW_MS = 5000;
/** Milliseconds between two attempts to acquire a lock. */
const LOCK_POLL_MS = 50;

/** Stores JSON values encrypted. A value that cannot be decrypted is missing. */
export class SecretVault {
  readonly #options: VaultOptions;
  /** The last work in this process by name; settles without an error. */
  readonly #works = new Map<string, Promise<void>>();
  #hasWarned = false;

  constructor(options: VaultOptions) {
    this.#options = options;
  }

  async read(name: SecretName): Promise<OpenedSecret | undefined> {
    const secret = await this.#options.secrets.read(name);
    return secret && this.#open(secret);
  }

  /** Returns the values of a kind. */
  async list(kind: SecretName['kind']): Promise<readonly OpenedSecret[]> {
    const secrets = await this.#options.secrets.list(kind);
    return secrets.flatMap((secret) => this.#open(secret) ?? []);
  }

  /** Removes the secrets that have expired. */
  removeExpired(): Promise<void> {
    return this.#options.secrets.removeExpired();
  }

  /** Returns the revision of a secret, which changes with every write; undefined for a missing one. */
  async revisionOf(name: SecretName): Promise<string | undefined> {
    return (await this.#options.secrets.read(name))?.revision;
  }

  /** Stores a value. `expiresAt`: milliseconds since the Unix epoch; default: never. */
  async write(name: SecretName, value: unknown, expiresAt?: number): Promise<void> {
    await this.#options.secrets.write(this.#seal(name, value, expiresAt));
  }

  /** Replaces a value if it still has the revision. Returns the new revision. */
  async replace(
    name: SecretName,
    revision: string,
    { value, expiresAt }: { readonly value: unknown; readonly expiresAt?: number },
  ): Promise<string | undefined> {
    const sealed = this.#seal(name, value, expiresAt);
    return (await this.#options.secrets.replace(revision, sealed)) ? sealed.revision : undefined;
  }

  /** Removes a value, or only its given revision. Returns whether it was there. */
  remove(name: SecretName, revision?: string): Promise<boolean> {
    return this.#options.secrets.remove(name, revision);
  }

  /** Runs work while no process runs other work under the same name. */
  async locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#works.get(name) ?? Promise.resolve();
    const own = before.then(() => this.#lockedByProcess(name, work));
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    this.#works.set(name, settled);
    try {
      return await own;
    } finally {
      if (this.#works.get(name) === settled) this.#works.delete(name);
    }
  }

  /** Runs work unless other work runs under the same name. Resolves with undefined if it did not run. */
  async tryLocked<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    const holder = randomUUID();
    const isLocked = await this.#options.secrets.lock(name, holder, LOCK_LEASE_MS);
    return isLocked ? this.#holding(name, holder, work) : undefined;
  }

  async #lockedByProcess<T>(name: string, work: () => Promise<T>): Promise<T> {
    const holder = randomUUID();
    while (!(await this.#options.secrets.lock(name, holder, LOCK_LEASE_MS)))
      await sleep(LOCK_POLL_MS);
    return this.#holding(name, holder, work);
  }

  async #holding<T>(name: string, holder: string, work: () => Promise<T>): Promise<T> {
    const { secrets, logger } = this.#options;
    const renewal = setInterval(() => {
      secrets
        .lock(name, holder, LOCK_LEASE_MS)
        .catch((error: unknown) =>
          logger.warn('the lock of stored tokens could not be extended', { error }),
        );
    }, LOCK_RENEW_MS);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      await secrets
        .unlock(name, holder)
        .catch((error: unknown) =>
          logger.warn('the lock of stored tokens could not be released; it expires', { error }),
        );
    }
  }

  /** Encrypts every secret of an earlier key with the current one. Returns their number. */
  async reseal(): Promise<number> {
    const { secrets, box } = this.#options;
    let count = 0;
    for (const kind of SECRET_KINDS)
      for (const secret of await secrets.list(kind)) {
        if (secret.keyId === box().keyId) continue;
        const opened = this.#open(secret);
        if (opened === undefined) continue;
        const sealed = this.#seal(secret, opened.value, secret.expiresAt);
        if (await secrets.replace(secret.revision, sealed)) count += 1;
      }
    return count;
  }

  #seal({ kind, name }: SecretName, value: unknown, expiresAt: number | undefined): SealedSecret {
    const sealed = this.#options.box().seal(JSON.stringify(value), { kind, name });
    return { kind, name, ...sealed, revision: randomUUID(), expiresAt };
  }

  #open(secret: SealedSecret): OpenedSecret | undefined {
    const { kind, name, revision, expiresAt } = secret;
    const text = this.#options.box().open(secret, { kind, name });
    if (text !== undefined)
      return { name, value: JSON.parse(text) as unknown, revision, expiresAt };
    if (!this.#hasWarned)
      this.#options.logger.warn(
        'stored logins of remote servers cannot be decrypted with the keys of this process; give SIGNALBOX_SECRET_KEY the key that they were stored with, or log in again',
        { key_id: secret.keyId },
      );
    this.#hasWarned = true;
    return undefined;
  }
}
