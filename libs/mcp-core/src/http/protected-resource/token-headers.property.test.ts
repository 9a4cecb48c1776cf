import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuthDecision } from '../server/authentication.ts';
import { protectedResource } from './index.ts';
import { RESOURCE, testIssuer } from './test-issuer.test.support.ts';

const part = fc.oneof(
  fc.string(),
  fc.base64String(),
  fc.json().map((json) => Buffer.from(json).toString('base64url')),
  fc
    .record(
      {
        alg: fc.constantFrom('ES256', 'none', 'HS256', 'RS256', 'dir'),
        typ: fc.constantFrom('JWT', 'at+jwt', 'dpop+jwt'),
        // The issuer of the test publishes the first.
        kid: fc.constantFrom('key-1', 'other'),
        crit: fc.array(fc.string()),
        b64: fc.boolean(),
        jwk: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((header) => Buffer.from(JSON.stringify(header)).toString('base64url')),
);
const token = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
const scheme = fc.constantFrom('Bearer', 'bearer', 'DPoP', 'Basic', '', 'Bearer,DPoP');

test('whatever the headers are, the request is refused with 400 or 401 and an answer that a header can carry', async () => {
  const issuer = await testIssuer();
  const { authenticate } = protectedResource({ issuer: issuer.origin, resource: RESOURCE });
  await fc.assert(
    fc.asyncProperty(scheme, token, fc.option(token), async (given, text, proof) => {
      const headers = {
        authorization: `${given} ${text}`,
        ...(proof === null ? {} : { dpop: proof }),
      };
      const decision: AuthDecision = await authenticate(headers, { method: 'POST', path: '/mcp' });
      expect('refused' in decision ? decision.refused : undefined).toSatisfy(
        (status) => status === 400 || status === 401,
      );
      expect(decision).not.toHaveProperty('problem');
      const { challenge = '' } = decision as { readonly challenge?: string };
      expect(new Headers({ 'www-authenticate': challenge }).get('www-authenticate')).toBe(
        challenge,
      );
      expect(challenge).toMatch(/^Bearer |^DPoP /u);
    }),
    { numRuns: 500 },
  );
});
