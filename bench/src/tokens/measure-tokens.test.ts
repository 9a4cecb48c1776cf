import { expect, test } from 'vitest';
import { measureClientTokens } from './measure-client-tokens.ts';
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

test('every call of the client of the benchmark is answered, and its cost is measured', async () => {
  using issuer = await startTokenIssuer();
  const figures = await measureClientTokens(issuer, 40);
  expect([...figures.keys()]).toEqual([
    'client: headers with a valid token',
    'client: headers with a bound token and its proof',
    'client: a call with a fixed header',
    'client: a call with a valid token',
    'client: difference of these calls',
  ]);
  for (const micros of figures.values()) expect(micros).not.toBeNaN();
});
