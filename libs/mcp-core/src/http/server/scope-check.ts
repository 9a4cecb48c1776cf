import { readEnvelope, type Envelope } from '../../jsonrpc/envelope.ts';
import type { JsonRpcRequest } from '../../jsonrpc/messages.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { missingScopes } from '../../protocol/scopes.ts';
import type { Server } from '../../server/server.ts';
import type { RequestAuthenticator } from './authentication.ts';
import type { HttpExchange } from './http-exchange.ts';
import { sendText } from './json-responses.ts';

/**
 * Refuses requests whose sender lacks scopes: those that every request needs, and those of the
 * called tools. One challenge names all of them.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling
 */
export class ScopeCheck {
  readonly #server: Server;
  readonly #always: readonly string[];
  readonly #challenge: (scopes: readonly string[], auth: AuthContext) => string;

  constructor(
    server: Server,
    { requiredScopes = [], scopeChallenge = bearerChallenge }: Partial<RequestAuthenticator> = {},
  ) {
    this.#server = server;
    this.#always = requiredScopes;
    this.#challenge = scopeChallenge;
  }

  /** Whether the sender has the scopes for a message, or for a request without one; responds with 403 when not. */
  allows(exchange: HttpExchange, auth: AuthContext | undefined, envelope?: Envelope): boolean {
    if (auth?.scopes === undefined) return true;
    const needed = this.#neededFor(envelope);
    if (missingScopes(needed, auth.scopes).length === 0) return true;
    sendText(exchange, 403, {
      text: 'Forbidden',
      fields: ['www-authenticate', this.#challenge(needed, auth)],
    });
    return false;
  }

  #neededFor(envelope: Envelope | undefined): readonly string[] {
    const requests = envelope === undefined ? [] : requestsIn(envelope);
    const ofTools = requests.flatMap((request) => this.#server.requiredScopes(request));
    return ofTools.length === 0 ? this.#always : [...new Set([...this.#always, ...ofTools])];
  }
}

function requestsIn(envelope: Envelope): readonly JsonRpcRequest[] {
  const envelopes = envelope.kind === 'batch' ? envelope.entries.map(readEnvelope) : [envelope];
  return envelopes.flatMap((each) => (each.kind === 'request' ? [each.message] : []));
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
function bearerChallenge(scopes: readonly string[]): string {
  return `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
}
