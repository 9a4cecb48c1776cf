import { ErrorCode } from '../protocol/errors.ts';
import { buildCodec } from './build-codec.ts';
import { LEGACY_CLIENT_REQUESTS } from './revision.ts';

/** @see https://modelcontextprotocol.io/specification/2025-06-18 */
export const codec20250618 = buildCodec({
  version: '2025-06-18',
  era: 'legacy',
  clientRequests: LEGACY_CLIENT_REQUESTS,
  serverRequests: ['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create'],
  hasCompletionsCapability: true,
  hasBatches: false,
  hasPrimingEvents: false,
  hasErrorsWithoutId: false,
  rejectsBadArguments: true,
  resourceNotFoundCode: ErrorCode.resourceNotFound,
  hasAudio: true,
  hasResourceLinks: true,
  structuredContent: 'object',
  hasToolExecution: false,
  tasks: 'none',
  hasSamplingBlocks: false,
  elicitation: 'form-2025-06-18',
  hasElicitationId: false,
});
