import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import { loginMethods, type Target } from './discovery.ts';
import type { LoginRequest, LoginTarget } from './login-request.ts';

/** Returns the error of a request that needs the login of a user while `user.authorize` is not set. */
export function userNeeded(
  { server, resource, isDpop }: Target,
  login: LoginTarget & Pick<LoginRequest, 'scopes' | 'challengedScopes' | 'reason'>,
): AuthorizationError {
  const { issuer } = server;
  return new AuthorizationError(
    'user-needed',
    `${new URL(login.server).origin} needs the login of a user at ${shorten(issuer)} (${login.reason}), and nobody is asked: user.authorize is not set.`,
    { login: { ...login, isDpop, issuer, resource, methods: loginMethods(server) } },
  );
}
