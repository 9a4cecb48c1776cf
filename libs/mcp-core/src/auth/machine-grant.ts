import {
  clientCredentialsGrantRequest,
  genericTokenEndpointRequest,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi';
import { AuthorizationError } from './authorization-error.ts';
import type { IdentityProvider, MachineGrant } from './machine-grant-options.ts';
import { fetchServerMetadata } from './server-metadata.ts';
import {
  clientAuthentication,
  libraryClient,
  requestOptions,
  tokensOf,
  tokenStep,
  type TokenEndpoint,
} from './token-endpoint.ts';
import type { StoredTokens } from './token-store.ts';
import type { TokenPurpose } from './user-grant.ts';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

/**
 * Requests tokens without a user.
 * @throws AuthorizationError `token-request-failed`
 */
export async function grantByMachine(
  endpoint: TokenEndpoint,
  grant: MachineGrant,
  purpose: TokenPurpose,
): Promise<StoredTokens> {
  const { server } = endpoint;
  const { resource, scopes } = purpose;
  const parameters = { resource, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) };
  const assertion = await assertionOf(endpoint, grant, purpose);
  const self = libraryClient(endpoint);
  const authentication = clientAuthentication(endpoint);
  const options = requestOptions(endpoint);
  return tokenStep(endpoint, async () => {
    const tokens =
      assertion === undefined
        ? await processClientCredentialsResponse(
            server,
            self,
            await clientCredentialsGrantRequest(server, self, authentication, parameters, options),
          )
        : await processGenericTokenEndpointResponse(
            server,
            self,
            await genericTokenEndpointRequest(
              server,
              self,
              authentication,
              'urn:ietf:params:oauth:grant-type:jwt-bearer',
              { ...parameters, assertion },
              options,
            ),
          );
    return tokensOf(tokens, endpoint, scopes);
  });
}

/** Returns the assertion of a grant; `undefined` for client credentials. */
async function assertionOf(
  endpoint: TokenEndpoint,
  grant: MachineGrant,
  { resource, scopes }: TokenPurpose,
): Promise<string | undefined> {
  const { issuer } = endpoint.server;
  if (grant.kind === 'client-credentials') return undefined;
  if (grant.kind === 'jwt-bearer') return grant.assertion({ issuer, resource, scopes });
  return exchange(endpoint, grant.identityProvider, { resource, scopes });
}

/** Exchanges an ID token at the identity provider for an authorization grant (RFC 8693). */
async function exchange(
  { fetch, server: { issuer } }: TokenEndpoint,
  provider: IdentityProvider,
  { resource, scopes }: TokenPurpose,
): Promise<string> {
  const server = await fetchServerMetadata(fetch, provider.issuer);
  const endpoint: TokenEndpoint = { fetch, server, client: provider.client };
  const subject = await provider.idToken();
  return tokenStep(endpoint, async () => {
    const response = await genericTokenEndpointRequest(
      server,
      libraryClient(endpoint),
      clientAuthentication(endpoint),
      'urn:ietf:params:oauth:grant-type:token-exchange',
      {
        requested_token_type: ID_JAG,
        audience: issuer,
        resource,
        subject_token: subject,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      },
      requestOptions({ fetch }),
    );
    const { access_token: grant, issued_token_type: type } =
      await processGenericTokenEndpointResponse(server, libraryClient(endpoint), response, {
        recognizedTokenTypes: { n_a: () => undefined },
      });
    if (type === ID_JAG) return grant;
    throw new AuthorizationError(
      'token-request-failed',
      'The identity provider issued no identity assertion authorization grant.',
    );
  });
}
