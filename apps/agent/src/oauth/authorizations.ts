import { createClientAuthorization } from '@signalbox/mcp-core/auth';
import type { HttpAuthorization } from '@signalbox/mcp-core/http/client';
import type { RemoteServerConfig } from '../config/config.ts';
import type { RemoteServersSettings } from '../config/remote-auth.ts';
import type { ServerAuthorizations } from '../mcp/server-authorizations.ts';
import { readMarks } from './login-marks.ts';
import type { SecretVault } from './secret-vault.ts';
import { hasLogins, machineGrant, serverAccess } from './server-access.ts';

export interface AuthorizationsOptions {
  readonly vault: SecretVault;
  readonly settings?: RemoteServersSettings | undefined;
}

/**
 * Creates the authorization at remote servers with the stored tokens. Nobody is asked during a
 * request: one that needs a login fails and says so. All connections of a server share their tokens
 * in memory.
 */
export function storedAuthorizations({
  vault,
  settings,
}: AuthorizationsOptions): ServerAuthorizations {
  const created = new Map<string, Promise<HttpAuthorization>>();
  return {
    async of(server) {
      if (!hasLogins(server)) return undefined;
      let authorization = created.get(server.name);
      if (authorization === undefined) {
        authorization = create(server, vault, settings);
        created.set(server.name, authorization);
        // A file that could not be read is read again by the next connection.
        authorization.catch(() => created.delete(server.name));
      }
      return authorization;
    },
    marks: () => readMarks(vault),
    forget: (server) => void created.delete(server),
  };
}

async function create(
  server: RemoteServerConfig,
  vault: SecretVault,
  settings: RemoteServersSettings | undefined,
): Promise<HttpAuthorization> {
  const [access, grant] = await Promise.all([
    serverAccess(server, vault, settings),
    machineGrant(server.auth),
  ]);
  return createClientAuthorization({ ...access, grant, scopes: server.auth?.scopes });
}
