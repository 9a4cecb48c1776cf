import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
} from 'oauth4webapi';
import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import { openEndpoint, reopenEndpoint, storeTokens } from './login-endpoint.ts';
import type { LoginTarget } from './login-request.ts';
import type { DeviceLogin, LoginOptions, PendingDeviceLogin } from './login.ts';
import { isSafeUrl } from './safe-url.ts';
import {
  clientAuthentication,
  libraryClient,
  requestOptions,
  tokensOf,
  tokenStep,
  type TokenEndpoint,
} from './token-endpoint.ts';
import type { StoredTokens, TokenKey } from './token-store.ts';
import { withOfflineAccess } from './user-grant.ts';

const DEFAULT_INTERVAL_SECONDS = 5;
/** @see https://www.rfc-editor.org/rfc/rfc8628#section-3.5 */
const SLOWER_MS = 5000;

/** Begins a login; see `beginDeviceLogin`. */
export async function beginDeviceFlow(
  target: LoginTarget,
  options: LoginOptions,
): Promise<DeviceLogin> {
  const { endpoint, key, scopes: asked } = await openEndpoint(target, options);
  const { server, client, dpop } = endpoint;
  if (server.device_authorization_endpoint === undefined)
    throw new AuthorizationError(
      'discovery-failed',
      `The metadata of ${shorten(server.issuer)} have no device_authorization_endpoint.`,
    );
  const scopes = withOfflineAccess(server, asked);
  const begun = await tokenStep(endpoint, async () => {
    const self = libraryClient(endpoint);
    const response = await deviceAuthorizationRequest(
      server,
      self,
      clientAuthentication(endpoint),
      { resource: key.resource, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) },
      requestOptions({ fetch: endpoint.fetch }),
    );
    return processDeviceAuthorizationResponse(server, self, response);
  });
  const { verification_uri: uri, verification_uri_complete: complete } = begun;
  if (!isSafeUrl(uri) || (complete !== undefined && !isSafeUrl(complete)))
    throw new AuthorizationError(
      'address-refused',
      `The verification address of ${shorten(server.issuer)} is not an https: address.`,
    );
  return {
    userCode: begun.user_code,
    verificationUri: uri,
    verificationUriComplete: complete,
    pending: {
      key,
      scopes,
      clientId: client.clientId,
      dpopKey: dpop?.jwk,
      deviceCode: begun.device_code,
      intervalMs: (begun.interval ?? DEFAULT_INTERVAL_SECONDS) * 1000,
      expiresAt: Date.now() + begun.expires_in * 1000,
    },
  };
}

/** Finishes a login; see `finishDeviceLogin`. */
export async function finishDeviceFlow(
  pending: PendingDeviceLogin,
  options: LoginOptions & { readonly signal?: AbortSignal | undefined },
): Promise<TokenKey> {
  const { key, expiresAt } = pending;
  const endpoint = await reopenEndpoint(pending, options);
  let { intervalMs } = pending;
  while (Date.now() < expiresAt) {
    await pause(intervalMs, options.signal);
    try {
      const tokens = await requestTokens(endpoint, pending);
      await storeTokens(options.store, key, tokens);
      return key;
    } catch (error) {
      const { code, oauthError } = error as Partial<AuthorizationError>;
      if (oauthError === 'slow_down') intervalMs += SLOWER_MS;
      else if (code === 'unreachable') intervalMs = Math.max(intervalMs, SLOWER_MS) * 2;
      else if (oauthError !== 'authorization_pending') throw refusalOf(error, key);
    }
  }
  throw refusalOf(new AuthorizationError('authorization-refused', 'expired'), key);
}

function requestTokens(
  endpoint: TokenEndpoint,
  { key, scopes, deviceCode }: PendingDeviceLogin,
): Promise<StoredTokens> {
  return tokenStep(endpoint, async () => {
    const { server } = endpoint;
    const self = libraryClient(endpoint);
    const response = await deviceCodeGrantRequest(
      server,
      self,
      clientAuthentication(endpoint),
      deviceCode,
      { ...requestOptions(endpoint), additionalParameters: { resource: key.resource } },
    );
    return tokensOf(await processDeviceCodeResponse(server, self, response), endpoint, scopes);
  });
}

/** Returns the error of a login that ended; that of the token endpoint if it is another one. */
function refusalOf(error: unknown, { issuer }: TokenKey): unknown {
  const { code, oauthError } = error as Partial<AuthorizationError>;
  if (oauthError === 'access_denied')
    return new AuthorizationError(
      'authorization-refused',
      `The user refused the login at ${shorten(issuer)}.`,
      { oauthError },
    );
  if (oauthError === 'expired_token' || code === 'authorization-refused')
    return new AuthorizationError(
      'authorization-refused',
      `The user did not enter the code at ${shorten(issuer)} in time; log in again.`,
      { oauthError },
    );
  return error;
}

function pause(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal?.reason as Error);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(resolve, durationMs);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  });
}
