import * as z from 'zod';

export const LoginMethod = z
  .enum(['browser', 'device'])
  .describe('browser: by a redirect; device: by a code that is entered on any device');

export const LoginReason = z
  .enum(['no_tokens', 'tokens_refused', 'refresh_refused', 'insufficient_scope'])
  .describe(
    'no_tokens: nobody has logged in; tokens_refused: the server refuses the tokens; refresh_refused: the authorization server ended the last login; insufficient_scope: the server needs more scopes',
  );

export const LoginStart = z
  .strictObject({
    method: LoginMethod.optional().describe(
      'Default: browser, if the service has an address for the redirect and the authorization server supports it',
    ),
  })
  .meta({ id: 'LoginStart' });
