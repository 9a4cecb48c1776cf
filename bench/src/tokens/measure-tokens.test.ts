import { expect, test } from 'vitest';
import { measureTokens } from './measure-tokens.ts';
import { startTokenIssuer } from './token-issuer.ts';

test('every check of the benchmark accepts its token, and its cost is measured', async () => {
  using issuer = await startTokenIssuer();
  const figures = await measureTokens(issuer, 40);
  expect([...figures.keys()]).toEqual([
    'a JWT that is known',
    'a new JWT, ES256',
    'a new JWT, RS256',
    'a known token with a new DPoP proof, ES256',
    'a call without authentication',
    'a call with access.bearerToken',
    'a call with a JWT that is known',
  ]);
  for (const micros of figures.values()) expect(micros).toBeGreaterThan(0);
});
