import * as z from 'zod';

export const LoginMethod = z
  .enum(['browser', 'device'])
  .describe('browser: by a redirect; device: by a code that is entered on any device');

export const LoginStart = z
  .strictObject({
    method: LoginMethod.optional().describe(
      'Default: browser, if the service has an address for the redirect and the authorization server supports it',
    ),
  })
  .meta({ id: 'LoginStart' });
