import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { RefusedTokenError } from './refused-token-error.ts';

/** A token whose claims its issuer has signed or confirmed. */
export interface ConfirmedToken {
  readonly auth: AuthContext;
  /** Thumbprint of the key to which the token is bound. */
  readonly key: string | undefined;
  /** Time at which it expires, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Scopes that a broader scope includes. */
export interface ImpliedScopes {
  readonly [scope: string]: readonly string[];
}

/**
 * Returns the token with these claims. The principal is the subject, or the client of a token
 * without subject.
 * @throws RefusedTokenError for a token of nobody, and one that is bound otherwise than by DPoP
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-2.2
 */
export function confirmedToken(claims: JsonObject, implied: ImpliedScopes): ConfirmedToken {
  const { sub, exp, cnf } = claims;
  const clientId = textOf(claims.client_id) ?? textOf(claims.azp);
  const principal = textOf(sub) ?? (clientId === undefined ? undefined : `client ${clientId}`);
  if (principal === undefined)
    throw new RefusedTokenError('invalid_token', 'The access token names no subject');
  const key = keyOf(claims);
  if (cnf !== undefined && key === undefined)
    throw new RefusedTokenError(
      'invalid_token',
      'The access token is bound by a method other than DPoP',
    );
  const expiresAtMs = typeof exp === 'number' ? exp * 1000 : undefined;
  return {
    key,
    expiresAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY,
    auth: {
      principal,
      scopes: withImplied(scopesOf(claims), implied),
      ...(clientId === undefined ? {} : { clientId }),
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      claims,
    },
  };
}

/** Returns the thumbprint of the key to which a token is bound. @see https://www.rfc-editor.org/rfc/rfc9449#section-6.1 */
function keyOf({ cnf }: JsonObject): string | undefined {
  return isJsonObject(cnf) ? textOf(cnf.jkt) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Reads `scope`, or the `scp` of providers that use that name, as a text or a list. */
function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  const given = scope ?? scp ?? [];
  const texts = Array.isArray(given) ? (given as readonly unknown[]) : [given];
  return texts.flatMap((text) =>
    typeof text === 'string' ? text.split(' ').filter((name) => name !== '') : [],
  );
}

function withImplied(granted: readonly string[], implied: ImpliedScopes): readonly string[] {
  const all = new Set(granted);
  for (const scope of all) {
    if (!Object.hasOwn(implied, scope)) continue;
    for (const narrower of implied[scope] ?? []) all.add(narrower);
  }
  return [...all];
}
