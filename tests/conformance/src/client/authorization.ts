import { createClientAuthorization } from '@signalbox/mcp-core/auth';
import type { HttpAuthorization } from '@signalbox/mcp-core/http/client';
import type { ScenarioDetails } from './scenarios.ts';

/** The referee expects this address of the client's metadata document in `auth/basic-cimd`. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** Creates the authorization of a scenario; the user always consents. */
export function authorizationOf(scenario: string, details: ScenarioDetails): HttpAuthorization {
  const { client_id: clientId, client_secret: clientSecret, issuer } = details;
  const registered =
    clientId === undefined || issuer === undefined ? [] : [{ issuer, clientId, clientSecret }];
  return createClientAuthorization({
    registration: {
      name: 'signalbox-conformance',
      clients: registered,
      metadataUrl: scenario === 'auth/basic-cimd' ? METADATA_URL : undefined,
    },
    user: { redirectUri: 'http://localhost:3000/callback', authorize: consent },
  });
}

/** The referee's authorization server redirects without asking. */
async function consent({ url }: { readonly url: string }): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  return response.headers.get('location') ?? '';
}
