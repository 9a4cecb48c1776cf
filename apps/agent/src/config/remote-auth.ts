/** A client that is registered at an authorization server. */
export interface ConfiguredClient {
  /** Issuer of the authorization server, exactly as in its metadata. */
  readonly issuer: string;
  readonly clientId: string;
  /** A secret. */
  readonly clientSecret?: string | undefined;
  /** Path of a private key in PEM (PKCS #8) for `private_key_jwt`. */
  readonly privateKeyFile?: string | undefined;
  /** Authentication at the token endpoint. Default: by what the client has. */
  readonly authMethod?: string | undefined;
}

/** Authorization of the service at a remote server. */
export interface ServerAuth {
  /** Client of the service. Default: it registers itself. */
  readonly client?: ConfiguredClient | undefined;
  /** Scopes to request beside those that the server demands. Default: those that it lists, if it demands none. */
  readonly scopes?: readonly string[] | undefined;
  /** Default: `user`, a person who logs in. */
  readonly grant:
    | { readonly kind: 'user' | 'client-credentials' }
    /** The file has a signed JWT, which another program may replace. */
    | { readonly kind: 'jwt-bearer'; readonly assertionFile: string }
    | {
        readonly kind: 'enterprise-managed';
        /** Client of the service at the identity provider of the enterprise. */
        readonly identityProvider: ConfiguredClient;
        /** File with the ID token of the user, which another program may replace. */
        readonly idTokenFile: string;
      };
}

/** Settings of all remote servers. */
export interface RemoteServersSettings {
  /**
   * Networks in CIDR notation that remote servers and their authorization servers may be in although
   * they are not public.
   */
  readonly allowedNetworks?: readonly string[] | undefined;
  /** Name of the service at authorization servers. */
  readonly clientName?: string | undefined;
  /** URL of the client ID metadata document of the service. */
  readonly clientMetadataUrl?: string | undefined;
}
