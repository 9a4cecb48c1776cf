import type { RegisteredClient } from './registered-client.ts';

/** The identity provider of an enterprise, at which the user has signed in to the host. */
export interface IdentityProvider {
  /** Issuer, exactly as in its metadata. */
  readonly issuer: string;
  /** The host as the identity provider knows it. */
  readonly client: RegisteredClient;
  /** Returns the ID token of the user. */
  readonly idToken: () => Promise<string>;
}

/**
 * A grant without a user in the browser. Its client is pre-registered, or comes from
 * `registration.ask`.
 *
 * - `client-credentials`: the host acts for itself, with a secret or a private key.
 * - `jwt-bearer`: `assertion` returns a JWT for the issuer, for example of the workload's platform.
 * - `enterprise-managed`: the identity provider issues the assertion for the ID token of the user.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/overview
 */
export type MachineGrant =
  | { readonly kind: 'client-credentials' }
  | {
      readonly kind: 'jwt-bearer';
      /** Returns a signed JWT whose audience is the issuer. Called for each request of a token. */
      readonly assertion: (purpose: {
        readonly issuer: string;
        readonly resource: string;
        readonly scopes: readonly string[];
      }) => Promise<string>;
    }
  | { readonly kind: 'enterprise-managed'; readonly identityProvider: IdentityProvider };
