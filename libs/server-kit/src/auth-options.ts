import type { ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

/** The authorization server of clients over HTTP, and what it says about them. */
export interface AuthSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Public URL of the MCP endpoint. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Client id of this server for introspection. */
  readonly clientId: string | undefined;
  /** Networks of the authorization server that are not public. */
  readonly networks: readonly string[] | undefined;
}

export const authOptions = {
  'auth-issuer': { type: 'string' },
  'auth-audience': { type: 'string' },
  'auth-resource': { type: 'string' },
  'auth-scopes': { type: 'string' },
  'auth-client-id': { type: 'string' },
  'auth-networks': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

type AuthOption = keyof typeof authOptions;

/**
 * Returns the settings in the options of the command line; `undefined` without `--auth-issuer`.
 * @throws UsageError for an option without the options that it needs
 */
export function readAuthSettings(values: {
  readonly [name: string]: unknown;
}): AuthSettings | undefined {
  const textOf = (option: AuthOption): string | undefined => {
    const value = values[option];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const issuer = textOf('auth-issuer');
  if (issuer === undefined) {
    const other = (Object.keys(authOptions) as AuthOption[]).find((option) => textOf(option));
    if (other !== undefined) throw new UsageError(`--${other} needs --auth-issuer`);
    return undefined;
  }
  const audience = textOf('auth-audience');
  if (values['http'] === undefined)
    throw new UsageError(
      '--auth-issuer needs --http: over stdin and stdout there is no authorization',
    );
  if (audience === undefined) throw new UsageError('--auth-issuer needs --auth-audience');
  const resource = textOf('auth-resource');
  if (resource === undefined && !/^https?:/.test(audience))
    throw new UsageError(
      `--auth-audience ${JSON.stringify(audience)} is not a URL: add --auth-resource with the public URL of the server`,
    );
  return {
    issuer,
    audience,
    resource: resource ?? audience,
    scopes: wordsOf(textOf('auth-scopes')) ?? [],
    clientId: textOf('auth-client-id'),
    networks: wordsOf(textOf('auth-networks')),
  };
}

function wordsOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(/[\s,]+/).filter((word) => word !== '');
}
