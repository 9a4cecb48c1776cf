import { ErrorCode } from '../protocol/errors.ts';
import { buildCodec } from './build-codec.ts';
import { LEGACY_CLIENT_REQUESTS } from './revision.ts';

/** @see https://modelcontextprotocol.io/specification/2025-11-25 */
export const codec20251125 = buildCodec({
  version: '2025-11-25',
  era: 'legacy',
  clientRequests: [
    ...LEGACY_CLIENT_REQUESTS,
    'tasks/get',
    'tasks/result',
    'tasks/list',
    'tasks/cancel',
  ],
  serverRequests: ['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create'],
  hasCompletionsCapability: true,
  hasBatches: false,
  hasPrimingEvents: true,
  hasErrorsWithoutId: true,
  rejectsBadArguments: false,
  resourceNotFoundCode: ErrorCode.resourceNotFound,
  hasAudio: true,
  hasResourceLinks: true,
  structuredContent: 'object',
  hasToolExecution: true,
  tasks: 'core',
  hasSamplingBlocks: true,
  elicitation: 'form-and-url',
  hasElicitationId: true,
});
