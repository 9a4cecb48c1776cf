import type { AuthContext } from '../../jsonrpc/transport.ts';
import type { RefusedTokenError } from './refused-token-error.ts';

/** The schemes of the `Authorization` header. */
export type TokenScheme = 'Bearer' | 'DPoP';

export interface ChallengesOptions {
  readonly metadataUrl: string;
  readonly scopes: readonly string[];
  /** Schemes that are offered to a client without a token. */
  readonly schemes: readonly TokenScheme[];
  readonly algorithms: readonly string[];
}

/**
 * Writes the `WWW-Authenticate` headers of a protected resource.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
export class Challenges {
  readonly #options: ChallengesOptions;
  readonly #withoutToken: string;

  constructor(options: ChallengesOptions) {
    this.#options = options;
    this.#withoutToken = options.schemes
      .map((scheme) => this.#challenge(scheme, { scope: options.scopes.join(' ') }))
      .join(', ');
  }

  /** The challenge for a request without a token, which names no error. */
  get withoutToken(): string {
    return this.#withoutToken;
  }

  /** Returns the challenge for a refused token. */
  refusing(scheme: TokenScheme, { code, message }: RefusedTokenError): string {
    return this.#challenge(scheme, {
      error: code,
      error_description: message,
      scope: this.#options.scopes.join(' '),
    });
  }

  /** Returns the challenge for a token without the scopes that a request needs. */
  lacking(scopes: readonly string[], auth: AuthContext): string {
    return this.#challenge(auth.claims?.cnf === undefined ? 'Bearer' : 'DPoP', {
      error: 'insufficient_scope',
      error_description: 'The access token lacks a scope that the request needs',
      scope: scopes.join(' '),
    });
  }

  #challenge(scheme: TokenScheme, parameters: { readonly [name: string]: string }): string {
    const { metadataUrl, algorithms } = this.#options;
    const all = {
      ...parameters,
      resource_metadata: metadataUrl,
      ...(scheme === 'DPoP' ? { algs: algorithms.join(' ') } : {}),
    };
    const texts = Object.entries(all)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}="${value}"`);
    return `${scheme} ${texts.join(', ')}`;
  }
}
