import * as z from 'zod';
import { authProblems } from './auth-problems.ts';

const text = z.string().min(1);

const client = {
  issuer: text.describe('Issuer of the authorization server, exactly as in its metadata'),
  clientId: text,
  clientSecret: text.optional().describe('Write ${NAME} for the value of an environment variable'),
  privateKeyFile: text
    .optional()
    .describe('Private key in PEM (PKCS #8) for private_key_jwt, relative to this file'),
  authMethod: z
    .enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])
    .optional()
    .describe('Authentication at the token endpoint; default by what the client has'),
};

/** Schema of `signalbox.auth` of a server entry. */
export const serverAuth = z
  .strictObject({
    ...client,
    issuer: client.issuer.optional(),
    clientId: client.clientId
      .optional()
      .describe('A client that is registered at issuer; default: the service registers itself'),
    scopes: z
      .array(text)
      .max(100)
      .optional()
      .describe(
        'Scopes to request beside those that the server demands; default those that it lists, if it demands none',
      ),
    grant: z
      .enum(['user', 'client-credentials', 'jwt-bearer', 'enterprise-managed'])
      .optional()
      .describe('Party that authorizes the service; default user, a person who logs in'),
    assertionFile: text
      .optional()
      .describe('File with a signed JWT for jwt-bearer, such as a projected service account token'),
    idTokenFile: text
      .optional()
      .describe('File with the ID token of the user for enterprise-managed'),
    identityProvider: z
      .strictObject(client)
      .optional()
      .describe('Client of the service at the identity provider, for enterprise-managed'),
  })
  .superRefine((auth, context) => {
    for (const { location, problem } of authProblems(auth))
      context.addIssue({ code: 'custom', path: [...location], message: problem });
  });
