import { loginRequestOf, type LoginRequest } from '@signalbox/mcp-core/auth';

/** Maximum number of scopes of a login, and of characters of each. */
const MAX_SCOPES = 100;
const MAX_SCOPE_CHARACTERS = 256;
/** Maximum number of characters of an address. */
const MAX_ADDRESS_CHARACTERS = 2048;

/**
 * Returns the login that an error of a client asks for. Scopes beyond the limits are left out, for a
 * server names them; a login at a longer address is none.
 */
export function neededLogin(error: unknown): LoginRequest | undefined {
  const login = loginRequestOf(error);
  if (login === undefined) return undefined;
  const addresses = [login.issuer, login.resource, login.metadataUrl ?? ''];
  if (addresses.some(({ length }) => length > MAX_ADDRESS_CHARACTERS)) return undefined;
  return {
    ...login,
    scopes: bounded(login.scopes),
    challengedScopes: bounded(login.challengedScopes),
  };
}

function bounded(scopes: readonly string[]): readonly string[] {
  return scopes.filter(({ length }) => length <= MAX_SCOPE_CHARACTERS).slice(0, MAX_SCOPES);
}
