import { isLoopback } from '@signalbox/mcp-core';
import type {
  AuthDecision,
  HttpAccessOptions,
  RequestAuthenticator,
} from '@signalbox/mcp-core/http/server';
import type { AuthSettings } from './auth-options.ts';
import type { Logger } from './logger.ts';
import { UsageError } from './usage-error.ts';

export interface HttpAccessInput {
  /** Value of `--http`. */
  readonly http: string;
  /** Address to listen on. */
  readonly host: string;
  readonly auth: AuthSettings | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/**
 * Returns the access rules of a server over HTTP: access tokens of an authorization server, the
 * token of `MCP_HTTP_TOKEN`, or none on a loopback address.
 * @throws UsageError for options that cannot be used, and when others can reach an open server
 */
export async function httpAccess(input: HttpAccessInput): Promise<HttpAccessOptions> {
  const { http, host, auth, env } = input;
  const { MCP_HTTP_TOKEN: token = '' } = env;
  if (auth !== undefined) return protectedAccess(auth, input);
  if (token === '' && !isLoopback(host))
    throw new UsageError(
      `--http ${http} can be reached by others: set MCP_HTTP_TOKEN to a secret that clients have to send as bearer token, or --auth-issuer to an authorization server`,
    );
  return token === '' ? {} : { bearerToken: token };
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

async function protectedAccess(
  auth: AuthSettings,
  { host, env, log }: HttpAccessInput,
): Promise<HttpAccessOptions> {
  const { MCP_HTTP_TOKEN: token = '', MCP_AUTH_CLIENT_SECRET: clientSecret = '' } = env;
  if (token !== '')
    throw new UsageError(
      '--auth-issuer and MCP_HTTP_TOKEN exclude each other: unset MCP_HTTP_TOKEN',
    );
  const { clientId, networks } = auth;
  if (clientId !== undefined && clientSecret === '')
    throw new UsageError('--auth-client-id needs its secret in MCP_AUTH_CLIENT_SECRET');
  const { protectedResource } = await import('@signalbox/mcp-core/http/protected-resource');
  try {
    const authenticate = protectedResource({
      issuer: auth.issuer,
      resource: auth.resource,
      audience: auth.audience,
      scopes: auth.scopes,
      introspection: clientId === undefined ? undefined : { clientId, clientSecret },
      network: { allowedNetworks: networks },
    });
    return {
      authenticate: withLog(authenticate, log),
      // A proxy on this machine passes on the host that clients use.
      ...(isLoopback(host)
        ? { allowedHosts: [...LOOPBACK_HOSTS, new URL(auth.resource).hostname] }
        : {}),
    };
  } catch (error) {
    throw new UsageError(usageOf(error), { cause: error });
  }
}

/** Logs each refused request with its challenge, which contains nothing of the token. */
function withLog(authenticator: RequestAuthenticator, log: Logger): RequestAuthenticator {
  const logged = (decision: AuthDecision): AuthDecision => {
    if ('refused' in decision)
      log.debug(`refused status=${decision.refused} challenge=${decision.challenge ?? 'none'}`);
    return decision;
  };
  return {
    ...authenticator,
    authenticate: (headers, target) => {
      const decision = authenticator.authenticate(headers, target);
      return decision instanceof Promise ? decision.then(logged) : logged(decision);
    },
  };
}

/** Names the option of the command line in place of that of the library. */
function usageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `--auth-${message.replace(/^network\.allowedNetworks/, 'networks')}`;
}
