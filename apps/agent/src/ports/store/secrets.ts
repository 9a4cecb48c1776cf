/**
 * Every kind of stored secret. `login`: a login that has begun; `server`: the last login or logout
 * of a server.
 */
export const SECRET_KINDS = ['tokens', 'client', 'login', 'server'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

export interface SecretName {
  readonly kind: SecretKind;
  readonly name: string;
}

/** An encrypted value. The store cannot read it. */
export interface SealedSecret extends SecretName {
  readonly sealed: string;
  /** Id of the key that encrypted it. */
  readonly keyId: string;
  /** Changes with every write. */
  readonly revision: string;
  /** Milliseconds since the Unix epoch by the clock of the store. Undefined: never. */
  readonly expiresAt: number | undefined;
}

/** Encrypted secrets, and the locks of the work on them, for all processes of the service. */
export interface SecretStore {
  /** Returns a secret. An expired one is returned until it is removed. */
  read(name: SecretName): Promise<SealedSecret | undefined>;
  /** Returns the secrets of a kind in the order of their names. */
  list(kind: SecretKind): Promise<readonly SealedSecret[]>;
  /** Stores a secret. Replaces an earlier one. */
  write(secret: SealedSecret): Promise<void>;
  /** Replaces a secret if it still has the revision. Returns whether it did. */
  replace(revision: string, secret: SealedSecret): Promise<boolean>;
  /** Removes a secret, or only its given revision. Returns whether it was there. */
  remove(name: SecretName, revision?: string): Promise<boolean>;
  /** Removes the secrets that have expired. */
  removeExpired(): Promise<void>;
  /**
   * Acquires a lock for `leaseMs`, unless another holder has it and its lease is not over. Returns
   * whether it did. The holder extends its lease by the same call.
   */
  lock(name: string, holder: string, leaseMs: number): Promise<boolean>;
  /** Releases a lock, if the holder still has it. */
  unlock(name: string, holder: string): Promise<void>;
  /** Releases all locks. To be called by a process that uses the store alone. */
  unlockAll(): Promise<void>;
}
