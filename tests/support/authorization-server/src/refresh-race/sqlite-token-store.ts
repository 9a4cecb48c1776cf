import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  RegisteredClient,
  StoredTokens,
  TokenKey,
  TokenStore,
} from '@signalbox/mcp-core/auth';

/** Milliseconds after which the lock of a process that has ended is released. */
const LEASE_MS = 30_000;
/** Milliseconds between two attempts to acquire a lock. */
const RETRY_MS = 2;

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA busy_timeout = 10000;
CREATE TABLE IF NOT EXISTS item (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
`;

/** A token store in a SQLite file that several processes share. For tests only: nothing is encrypted. */
export class SqliteTokenStore implements TokenStore {
  readonly #database: DatabaseSync;
  readonly #isLocking: boolean;

  /** Without `isLocking`, works are not run one after another. */
  constructor(file: string, isLocking = true) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(SCHEMA);
    this.#isLocking = isLocking;
  }

  close(): void {
    this.#database.close();
  }

  readTokens(key: TokenKey): Promise<StoredTokens | undefined> {
    return Promise.resolve(this.#read(nameOf(key)) as StoredTokens | undefined);
  }

  writeTokens(key: TokenKey, tokens: StoredTokens): Promise<void> {
    return this.#write(nameOf(key), tokens);
  }

  deleteTokens(key: TokenKey): Promise<void> {
    return this.#delete(nameOf(key));
  }

  readClient(issuer: string, redirectUri: string): Promise<RegisteredClient | undefined> {
    return Promise.resolve(
      this.#read(clientName(issuer, redirectUri)) as RegisteredClient | undefined,
    );
  }

  writeClient(issuer: string, redirectUri: string, client: RegisteredClient): Promise<void> {
    return this.#write(clientName(issuer, redirectUri), client);
  }

  deleteClient(issuer: string, redirectUri: string): Promise<void> {
    return this.#delete(clientName(issuer, redirectUri));
  }

  async withLock<T>(key: TokenKey, work: () => Promise<T>): Promise<T> {
    if (!this.#isLocking) return work();
    const name = nameOf(key);
    const holder = randomUUID();
    while (!this.#acquire(name, holder)) await delay(RETRY_MS);
    try {
      return await work();
    } finally {
      this.#database.prepare('DELETE FROM lease WHERE name = ? AND holder = ?').run(name, holder);
    }
  }

  #acquire(name: string, holder: string): boolean {
    // The clock of the database: tests change that of the processes.
    const { changes } = this.#database
      .prepare(
        `INSERT INTO lease VALUES (?, ?, unixepoch('subsec') * 1000 + ?)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
         WHERE expires_at < unixepoch('subsec') * 1000`,
      )
      .run(name, holder, LEASE_MS);
    return changes === 1;
  }

  #read(name: string): unknown {
    const row = this.#database.prepare('SELECT value FROM item WHERE name = ?').get(name);
    return row === undefined ? undefined : JSON.parse(String(row['value']));
  }

  #write(name: string, value: unknown): Promise<void> {
    this.#database
      .prepare('INSERT OR REPLACE INTO item VALUES (?, ?)')
      .run(name, JSON.stringify(value));
    return Promise.resolve();
  }

  #delete(name: string): Promise<void> {
    this.#database.prepare('DELETE FROM item WHERE name = ?').run(name);
    return Promise.resolve();
  }
}

function nameOf({ issuer, resource, principal }: TokenKey): string {
  return JSON.stringify(['tokens', issuer, resource, principal]);
}

function clientName(issuer: string, redirectUri: string): string {
  return JSON.stringify(['client', issuer, redirectUri]);
}
