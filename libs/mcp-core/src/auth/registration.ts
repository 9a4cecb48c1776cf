import type { AuthorizationServer } from 'oauth4webapi';
import { isLoopback } from '../http/headers/loopback.ts';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import type { ClientRegistrationOptions } from './options.ts';
import type { RegisteredClient } from './registered-client.ts';
import type { TokenStore } from './token-store.ts';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Inputs of the choice of a client. */
export interface RegistrationContext {
  readonly registration: ClientRegistrationOptions | undefined;
  /** Default: the client has no user, and is not registered. */
  readonly redirectUri: string | undefined;
  readonly store: TokenStore;
  readonly fetch: GuardedFetch;
  readonly server: AuthorizationServer;
  readonly resource: string;
  /** Whether the client is only looked for, because it exists. Default: it may be registered. */
  readonly isKnown?: boolean | undefined;
}

/**
 * Returns the client of this host at an authorization server, in the order of the specification. A
 * dynamic registration is stored for its issuer and redirect URI, and reused there only.
 * @throws AuthorizationError `no-client`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
export async function findClient(context: RegistrationContext): Promise<RegisteredClient> {
  const { registration, redirectUri, store, server, resource } = context;
  const { clients = [], metadataUrl, ask } = registration ?? {};
  const { issuer } = server;
  const known = clients.find((client) => client.issuer === issuer);
  if (known !== undefined) return known;
  if (redirectUri !== undefined) {
    if (metadataUrl !== undefined && server['client_id_metadata_document_supported'] === true)
      return { clientId: metadataUrl };
    if (server.registration_endpoint !== undefined) {
      const stored = await store.readClient(issuer, redirectUri);
      if (stored !== undefined) return stored;
      if (context.isKnown !== true) return registerOnce(context, redirectUri);
    }
  }
  const told = await ask?.({ issuer, resource });
  if (told !== undefined) return told;
  throw new AuthorizationError(
    'no-client',
    `This host has no client at ${shorten(issuer)}${clients.length === 0 ? '' : ' (its pre-registered clients belong to other issuers)'}, and cannot register there. Register one there and add it to registration.clients.`,
  );
}

/** Registers the client unless another login, in any process, does so at the same time. */
function registerOnce(
  context: RegistrationContext,
  redirectUri: string,
): Promise<RegisteredClient> {
  const { store, server } = context;
  const key = { issuer: server.issuer, resource: redirectUri, principal: 'registration' };
  return store.withLock(
    key,
    async () =>
      (await store.readClient(server.issuer, redirectUri)) ?? register(context, redirectUri),
  );
}

async function register(
  { registration, store, fetch, server }: RegistrationContext,
  redirectUri: string,
): Promise<RegisteredClient> {
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((each) =>
    methods.includes(each),
  );
  const response = await fetch.fetch(server.registration_endpoint ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      client_name: registration?.name ?? 'MCP client',
      redirect_uris: [redirectUri],
      grant_types: [
        'authorization_code',
        'refresh_token',
        ...(server.device_authorization_endpoint === undefined ? [] : [DEVICE_CODE_GRANT]),
      ],
      response_types: ['code'],
      token_endpoint_auth_method: method ?? 'none',
      application_type: isLoopback(new URL(redirectUri).hostname) ? 'native' : 'web',
    }),
  });
  const registered: unknown = await response.json().catch(() => undefined);
  const client = clientOf(registered);
  if (client === undefined || !response.ok) {
    const { error } = (registered ?? {}) as { readonly error?: unknown };
    const oauthError = typeof error === 'string' ? shorten(error) : undefined;
    throw new AuthorizationError(
      'no-client',
      `${shorten(server.issuer)} did not register this host for the redirect URI ${redirectUri} (${oauthError ?? `HTTP ${response.status}`}). Register a client there and add it to registration.clients.`,
      { oauthError },
    );
  }
  await store.writeClient(server.issuer, redirectUri, client);
  return client;
}

/**
 * Returns the client of a registration. Servers often omit `client_secret_expires_at`, without which
 * the library refuses the response.
 */
function clientOf(registered: unknown): RegisteredClient | undefined {
  if (typeof registered !== 'object' || registered === null) return undefined;
  const {
    client_id: clientId,
    client_secret: clientSecret,
    token_endpoint_auth_method: authMethod,
  } = registered as { readonly [name: string]: unknown };
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  return {
    clientId,
    clientSecret: typeof clientSecret === 'string' ? clientSecret : undefined,
    authMethod: typeof authMethod === 'string' ? authMethod : undefined,
  };
}
