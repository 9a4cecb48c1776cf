import { isLoopback } from '@signalbox/mcp-core';
import { ConfigError, type Config } from './config.ts';
import type { FileConfig } from './config-schema.ts';

/** Returns the settings of all remote servers and of their logins. @throws ConfigError */
export function remoteServersOf({
  public_url: publicUrl,
  remote_servers: settings,
}: Pick<FileConfig, 'public_url' | 'remote_servers'>): Pick<Config, 'publicUrl' | 'remoteServers'> {
  checkSecure(publicUrl, 'public_url', { isLoopbackAllowed: true });
  checkSecure(settings?.client_metadata_url, 'remote_servers.client_metadata_url', {
    isLoopbackAllowed: false,
  });
  return {
    ...(publicUrl === undefined ? {} : { publicUrl: publicUrl.replace(/\/+$/u, '') }),
    ...(settings === undefined
      ? {}
      : {
          remoteServers: {
            allowedNetworks: settings.allowed_networks,
            clientName: settings.client_name,
            clientMetadataUrl: settings.client_metadata_url,
          },
        }),
  };
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#communication-security */
function checkSecure(
  text: string | undefined,
  place: string,
  { isLoopbackAllowed }: { readonly isLoopbackAllowed: boolean },
): void {
  if (text === undefined) return;
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:' || (isLoopbackAllowed && isLoopback(hostname))) return;
  throw new ConfigError(
    `${place}: must be an https URL${isLoopbackAllowed ? ', or http at a loopback address' : ''}`,
  );
}
