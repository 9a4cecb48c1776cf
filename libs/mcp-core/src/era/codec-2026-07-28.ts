import { ErrorCode } from '../protocol/errors.ts';
import { buildCodec } from './build-codec.ts';

/** @see https://modelcontextprotocol.io/specification/2026-07-28 */
export const codec20260728 = buildCodec({
  version: '2026-07-28',
  era: 'modern',
  clientRequests: [
    'server/discover',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'subscriptions/listen',
    'tasks/get',
    'tasks/update',
    'tasks/cancel',
  ],
  serverRequests: [],
  hasCompletionsCapability: true,
  hasBatches: false,
  hasPrimingEvents: false,
  hasErrorsWithoutId: true,
  rejectsBadArguments: false,
  resourceNotFoundCode: ErrorCode.invalidParams,
  hasAudio: true,
  hasResourceLinks: true,
  structuredContent: 'any',
  hasToolExecution: false,
  tasks: 'extension',
  hasSamplingBlocks: true,
  elicitation: 'form-and-url',
  hasElicitationId: false,
});
