import type { TokenKey } from '@signalbox/mcp-core/auth';
import type { LoginMark } from '../mcp/server-authorizations.ts';
import type { SecretVault } from './secret-vault.ts';

/** The last login or logout of a server. */
export interface StoredMark {
  /** Tokens of the login; undefined after a logout. */
  readonly key: TokenKey | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Stores the last login or logout of a server, by which every process notices it. */
export function writeMark(vault: SecretVault, server: string, mark: StoredMark): Promise<void> {
  return vault.write({ kind: 'server', name: server }, mark);
}

/** Returns the last login or logout of a server; undefined before the first. */
export async function readMark(
  vault: SecretVault,
  server: string,
): Promise<StoredMark | undefined> {
  // Written by `writeMark` only.
  return (await vault.read({ kind: 'server', name: server }))?.value as StoredMark | undefined;
}

/** Returns the last login or logout of each server that had one. */
export async function readMarks(vault: SecretVault): Promise<ReadonlyMap<string, LoginMark>> {
  const marks = await vault.list('server');
  return new Map(
    marks.map(({ name, revision, value }) => [
      name,
      { revision, isLoggedIn: (value as StoredMark).key !== undefined },
    ]),
  );
}
