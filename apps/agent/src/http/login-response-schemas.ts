import * as z from 'zod';
import { LoginMethod } from './login-schemas.ts';
import { time } from './response-schemas.ts';

export const LoginReason = z
  .enum(['no_tokens', 'tokens_refused', 'refresh_refused', 'insufficient_scope'])
  .describe(
    'no_tokens: nobody has logged in; tokens_refused: the server refuses the tokens; refresh_refused: the authorization server ended the last login; insufficient_scope: the server needs more scopes',
  );

/** The login that a server needs. */
export const NeededLogin = z
  .object({
    issuer: z.string().describe('Authorization server'),
    resource: z.string(),
    scopes: z.array(z.string()).describe('Scopes that the login will request'),
    required_scopes: z.array(z.string()).describe('Scopes that the refused request needs'),
    reason: LoginReason,
    methods: z.array(LoginMethod).describe('Methods of the authorization server'),
  })
  .meta({ id: 'NeededLogin' });

/** A login that waits for a person. */
export const StartedLogin = z
  .object({
    method: LoginMethod,
    url: z.string().describe('Address that the person opens: https, or http at a loopback address'),
    user_code: z.string().optional().describe('For device: the code that the person enters there'),
    complete_url: z.string().optional().describe('For device: the address with the code in it'),
    expires_at: time,
  })
  .meta({ id: 'StartedLogin' });

export const LoggedOut = z
  .object({
    is_revoked: z
      .boolean()
      .describe(
        'Whether nothing remains at the authorization server; false if it has no revocation endpoint or could not be reached',
      ),
  })
  .meta({ id: 'LoggedOut' });
