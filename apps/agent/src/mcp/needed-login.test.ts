import { AuthorizationError, type LoginRequest } from '@signalbox/mcp-core/auth';
import { expect, test } from 'vitest';
import { neededLogin } from './needed-login.ts';

const LOGIN: LoginRequest = {
  server: 'https://mcp.example/mcp',
  issuer: 'https://as.example',
  resource: 'https://mcp.example/mcp',
  scopes: ['read'],
  challengedScopes: [],
  reason: 'no-tokens',
  methods: ['browser'],
};

function errorWith(login: Partial<LoginRequest>): Error {
  const cause = new AuthorizationError('user-needed', 'a user must log in', {
    login: { ...LOGIN, ...login },
  });
  return new Error('the request failed', { cause });
}

test('the login is that of the cause', () => {
  expect(neededLogin(errorWith({}))).toEqual(LOGIN);
  expect(neededLogin(new Error('another failure'))).toBeUndefined();
});

test('a server cannot store scopes or addresses without end', () => {
  const scopes = [...Array.from({ length: 200 }, (_, index) => `s${index}`), 'x'.repeat(300)];
  const login = neededLogin(errorWith({ scopes, challengedScopes: ['x'.repeat(257), 'y'] }));
  expect([login?.scopes.length, login?.challengedScopes]).toEqual([100, ['y']]);
  expect(neededLogin(errorWith({ issuer: `https://${'a'.repeat(2048)}` }))).toBeUndefined();
});
