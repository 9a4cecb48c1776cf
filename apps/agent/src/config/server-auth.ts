import type { ServerEntry } from './config-schema.ts';
import type { ConfiguredClient, ServerAuth } from './remote-auth.ts';

type Auth = NonNullable<NonNullable<ServerEntry['signalbox']>['auth']>;
type Client = NonNullable<Auth['identityProvider']>;

/** Expands texts and paths of an entry, and notes its secrets. */
interface Reader {
  text(text: string, ...location: readonly PropertyKey[]): string;
  folder(path: string, ...location: readonly PropertyKey[]): string;
  readonly secrets: Set<string>;
}

const PLACE = ['signalbox', 'auth'] as const;

/** Expands the variables and paths in the authorization of a server, which was checked. */
export function serverAuth(auth: Auth, reader: Reader): ServerAuth {
  const { issuer = '', clientId, scopes } = auth;
  return {
    ...(clientId === undefined
      ? {}
      : { client: configuredClient({ ...auth, issuer, clientId }, reader, PLACE) }),
    ...(scopes === undefined ? {} : { scopes }),
    grant: grantOf(auth, reader),
  };
}

function grantOf(
  { grant = 'user', assertionFile = '', idTokenFile = '', identityProvider }: Auth,
  reader: Reader,
): ServerAuth['grant'] {
  if (grant === 'jwt-bearer')
    return {
      kind: grant,
      assertionFile: reader.folder(assertionFile, ...PLACE, 'assertionFile'),
    };
  if (grant !== 'enterprise-managed' || identityProvider === undefined)
    return { kind: grant === 'client-credentials' ? grant : 'user' };
  const place = [...PLACE, 'identityProvider'];
  return {
    kind: grant,
    identityProvider: configuredClient(identityProvider, reader, place),
    idTokenFile: reader.folder(idTokenFile, ...PLACE, 'idTokenFile'),
  };
}

function configuredClient(
  { issuer, clientId, clientSecret, privateKeyFile, authMethod }: Client,
  reader: Reader,
  place: readonly string[],
): ConfiguredClient {
  const secret = clientSecret && reader.text(clientSecret, ...place, 'clientSecret');
  if (secret !== undefined && secret !== '') reader.secrets.add(secret);
  return {
    issuer: reader.text(issuer, ...place, 'issuer'),
    clientId: reader.text(clientId, ...place, 'clientId'),
    ...(secret === undefined ? {} : { clientSecret: secret }),
    ...(privateKeyFile === undefined
      ? {}
      : { privateKeyFile: reader.folder(privateKeyFile, ...place, 'privateKeyFile') }),
    ...(authMethod === undefined ? {} : { authMethod }),
  };
}
