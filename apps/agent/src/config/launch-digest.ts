import { digestOf } from '../json/digest.ts';
import type { RemoteServerConfig, ServerConfig } from './config.ts';

/** Fields that concern the use of a server, not its start. */
const POLICY: ReadonlySet<string> = new Set([
  'configuredName',
  'trust',
  'allow',
  'deny',
  'approval',
  'approvals',
  'sampling',
  'samplingReview',
  'maxMessageBytes',
  'connections',
  'singleton',
  'connectMs',
  'callsPerMinute',
  'secrets',
  'auth',
] satisfies readonly (keyof ServerConfig | keyof RemoteServerConfig)[]);

/**
 * Returns the SHA-256 in hex of a server's launch definition including its environment, without
 * revealing it.
 */
export function launchDigest(server: ServerConfig): string {
  const definition = Object.fromEntries(
    Object.entries(server).filter(([field]) => !POLICY.has(field)),
  );
  return digestOf(definition);
}
