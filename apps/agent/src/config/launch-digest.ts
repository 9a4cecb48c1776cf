import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import type { ServerConfig } from './config.ts';

/** Fields about the use of the server, not about what is started. */
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
  'connectMs',
  'secrets',
] satisfies readonly (keyof ServerConfig)[]);

/** Stands for the launch definition of a server, its environment included, without telling it: SHA-256 in hex. */
export function launchDigest(server: ServerConfig): string {
  const definition = Object.fromEntries(
    Object.entries(server).filter(([field]) => !POLICY.has(field)),
  );
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}
