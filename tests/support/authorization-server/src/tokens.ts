import { randomUUID } from 'node:crypto';
import type { Client } from './options.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The authorization of a client by a subject, with all tokens that descend from it. */
export interface Grant {
  readonly id: string;
  readonly clientId: string;
  readonly subject: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  isRevoked: boolean;
}

/** An access token that was issued. */
export interface IssuedToken {
  readonly grant: Grant;
  readonly claims: { readonly [name: string]: unknown };
  readonly expiresAt: number;
  isRevoked: boolean;
}

/** A refresh token. It is used once, and the next one replaces it. */
export interface RefreshToken {
  readonly grant: Grant;
  /** Thumbprint of the key that it is bound to. */
  readonly thumbprint: string | undefined;
  isUsed: boolean;
}

/** Settings of `TokenIssuer`. */
export interface TokenIssuerSettings {
  readonly issuer: () => string;
  readonly keys: SigningKeys;
  readonly accessTokenSeconds: number;
  readonly now: () => number;
}

/** The tokens of an authorization server: JWTs (RFC 9068), and refresh tokens that rotate. */
export class TokenIssuer {
  readonly #settings: TokenIssuerSettings;
  readonly #accessTokens = new Map<string, IssuedToken>();
  readonly #refreshTokens = new Map<string, RefreshToken>();

  constructor(settings: TokenIssuerSettings) {
    this.#settings = settings;
  }

  /** Issues an access token, bound to a key if there is one. */
  async issueAccess(
    grant: Grant,
    scopes: readonly string[],
    thumbprint: string | undefined,
  ): Promise<string> {
    const { issuer, keys, accessTokenSeconds, now } = this.#settings;
    const seconds = Math.floor(now() / 1000);
    const claims = {
      iss: issuer(),
      sub: grant.subject,
      aud: grant.resource,
      client_id: grant.clientId,
      scope: scopes.join(' '),
      iat: seconds,
      exp: seconds + accessTokenSeconds,
      jti: randomUUID(),
      ...(thumbprint === undefined ? {} : { cnf: { jkt: thumbprint } }),
    };
    const token = await keys.sign(claims, 'at+jwt');
    const expiresAt = claims.exp * 1000;
    this.#accessTokens.set(token, { grant, claims, expiresAt, isRevoked: false });
    return token;
  }

  /** Issues a refresh token; those of public clients are bound to the key (RFC 9449, 5). */
  issueRefresh(grant: Grant, client: Client, thumbprint: string | undefined): string {
    const token = `refresh-${randomUUID()}`;
    const bound = client.authMethod === 'none' ? thumbprint : undefined;
    this.#refreshTokens.set(token, { grant, thumbprint: bound, isUsed: false });
    return token;
  }

  /** Returns an access token that is neither expired nor revoked. */
  findAccess(token: string): IssuedToken | undefined {
    const found = this.#accessTokens.get(token);
    if (found === undefined || found.isRevoked || found.grant.isRevoked) return undefined;
    return found.expiresAt > this.#settings.now() ? found : undefined;
  }

  /** Returns a refresh token, also when it was used or revoked. */
  findRefresh(token: string): RefreshToken | undefined {
    return this.#refreshTokens.get(token);
  }

  /** Revokes a token: a refresh token with its whole grant (RFC 7009, 2.1). Returns whether it is the client's. */
  revoke(token: string, clientId: string): boolean {
    const refresh = this.#refreshTokens.get(token);
    const access = this.#accessTokens.get(token);
    const grant = refresh?.grant ?? access?.grant;
    if (grant === undefined) return true;
    if (grant.clientId !== clientId) return false;
    if (refresh !== undefined) grant.isRevoked = true;
    else if (access !== undefined) access.isRevoked = true;
    return true;
  }

  /** Revokes everything that was issued. */
  revokeAll(): void {
    for (const { grant } of this.#refreshTokens.values()) grant.isRevoked = true;
    for (const { grant } of this.#accessTokens.values()) grant.isRevoked = true;
  }
}
