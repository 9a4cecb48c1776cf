import { ErrorCode } from '../protocol/errors.ts';
import { buildCodec } from './build-codec.ts';
import { LEGACY_CLIENT_REQUESTS } from './revision.ts';

/** @see https://modelcontextprotocol.io/specification/2025-03-26 */
export const codec20250326 = buildCodec({
  version: '2025-03-26',
  era: 'legacy',
  clientRequests: LEGACY_CLIENT_REQUESTS,
  serverRequests: ['ping', 'roots/list', 'sampling/createMessage'],
  hasCompletionsCapability: true,
  hasBatches: true,
  hasPrimingEvents: false,
  hasErrorsWithoutId: false,
  rejectsBadArguments: true,
  resourceNotFoundCode: ErrorCode.resourceNotFound,
  hasAudio: true,
  hasResourceLinks: false,
  structuredContent: 'none',
  hasToolExecution: false,
  tasks: 'none',
  hasSamplingBlocks: false,
  elicitation: 'none',
  hasElicitationId: false,
});
