import { createPrivateKey, type webcrypto } from 'node:crypto';
import { createClientAuthorization, type MachineGrant } from '@signalbox/mcp-core/auth';
import type { HttpAuthorization } from '@signalbox/mcp-core/http/client';
import type { ScenarioDetails } from './scenarios.ts';

/** The referee expects this address of the client's metadata document in `auth/basic-cimd`. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** Creates the authorization of a scenario; the user always consents. */
export function authorizationOf(scenario: string, details: ScenarioDetails): HttpAuthorization {
  const { client_id: clientId, client_secret: clientSecret, issuer } = details;
  const registered =
    clientId === undefined || issuer === undefined ? [] : [{ issuer, clientId, clientSecret }];
  const grant = grantOf(scenario, details);
  const privateKey = privateKeyOf(details);
  return createClientAuthorization({
    grant,
    registration: {
      name: 'signalbox-conformance',
      clients: registered,
      metadataUrl: scenario === 'auth/basic-cimd' ? METADATA_URL : undefined,
      ask: () =>
        Promise.resolve(
          clientId === undefined ? undefined : { clientId, clientSecret, privateKey },
        ),
    },
    user:
      grant === undefined
        ? { redirectUri: 'http://localhost:3000/callback', authorize: consent }
        : undefined,
  });
}

function grantOf(scenario: string, details: ScenarioDetails): MachineGrant | undefined {
  const { valid_jwt: jwt, idp_issuer: issuer, idp_client_id: clientId } = details;
  if (scenario.startsWith('auth/client-credentials-')) return { kind: 'client-credentials' };
  if (jwt !== undefined) return { kind: 'jwt-bearer', assertion: () => Promise.resolve(jwt) };
  if (issuer === undefined || clientId === undefined) return undefined;
  const idToken = (): Promise<string> => Promise.resolve(details.idp_id_token ?? '');
  return {
    kind: 'enterprise-managed',
    identityProvider: { issuer, client: { clientId }, idToken },
  };
}

function privateKeyOf({ private_key_pem: pem }: ScenarioDetails): webcrypto.CryptoKey | undefined {
  return pem === undefined
    ? undefined
    : createPrivateKey(pem).toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
}

/** The referee's authorization server redirects without asking. */
async function consent({ url }: { readonly url: string }): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  return response.headers.get('location') ?? '';
}
