import { ErrorCode } from '../protocol/errors.ts';
import { buildCodec } from './build-codec.ts';
import { LEGACY_CLIENT_REQUESTS } from './revision.ts';

/** @see https://modelcontextprotocol.io/specification/2024-11-05 */
export const codec20241105 = buildCodec({
  version: '2024-11-05',
  era: 'legacy',
  clientRequests: LEGACY_CLIENT_REQUESTS,
  serverRequests: ['ping', 'roots/list', 'sampling/createMessage'],
  hasCompletionsCapability: false,
  hasBatches: false,
  hasPrimingEvents: false,
  hasErrorsWithoutId: false,
  rejectsBadArguments: true,
  resourceNotFoundCode: ErrorCode.resourceNotFound,
  hasAudio: false,
  hasResourceLinks: false,
  structuredContent: 'none',
  hasToolExecution: false,
  tasks: 'none',
  hasSamplingBlocks: false,
  elicitation: 'none',
  hasElicitationId: false,
});
