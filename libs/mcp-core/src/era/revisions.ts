import { ErrorCode } from '../protocol/errors.ts';
import type { Revision } from './revision.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from './versions.ts';

/** @see https://modelcontextprotocol.io/specification/2024-11-05 */
const REVISION_2024_11_05: Revision = {
  version: '2024-11-05',
  era: 'legacy',
  clientRequests: [
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
  ],
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
};

/** @see https://modelcontextprotocol.io/specification/2025-03-26/changelog */
const REVISION_2025_03_26: Revision = {
  ...REVISION_2024_11_05,
  version: '2025-03-26',
  hasCompletionsCapability: true,
  hasBatches: true,
  hasAudio: true,
};

/** @see https://modelcontextprotocol.io/specification/2025-06-18/changelog */
const REVISION_2025_06_18: Revision = {
  ...REVISION_2025_03_26,
  version: '2025-06-18',
  serverRequests: [...REVISION_2025_03_26.serverRequests, 'elicitation/create'],
  hasBatches: false,
  hasResourceLinks: true,
  structuredContent: 'object',
  elicitation: 'form-2025-06-18',
};

/** @see https://modelcontextprotocol.io/specification/2025-11-25/changelog */
const REVISION_2025_11_25: Revision = {
  ...REVISION_2025_06_18,
  version: '2025-11-25',
  clientRequests: [
    ...REVISION_2025_06_18.clientRequests,
    'tasks/get',
    'tasks/result',
    'tasks/list',
    'tasks/cancel',
  ],
  hasPrimingEvents: true,
  hasErrorsWithoutId: true,
  rejectsBadArguments: false,
  hasToolExecution: true,
  tasks: 'core',
  hasSamplingBlocks: true,
  elicitation: 'form-and-url',
  hasElicitationId: true,
};

/** @see https://modelcontextprotocol.io/specification/2026-07-28/changelog */
const REVISION_2026_07_28: Revision = {
  ...REVISION_2025_11_25,
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
  hasPrimingEvents: false,
  resourceNotFoundCode: ErrorCode.invalidParams,
  structuredContent: 'any',
  hasToolExecution: false,
  tasks: 'extension',
  hasElicitationId: false,
};

const BY_VERSION: { readonly [V in ProtocolVersion]: Revision } = {
  '2026-07-28': REVISION_2026_07_28,
  '2025-11-25': REVISION_2025_11_25,
  '2025-06-18': REVISION_2025_06_18,
  '2025-03-26': REVISION_2025_03_26,
  '2024-11-05': REVISION_2024_11_05,
};

/** All supported revisions, newest first. */
export const REVISIONS: readonly Revision[] = PROTOCOL_VERSIONS.map(
  (version) => BY_VERSION[version],
);

/** The version of a legacy HTTP request without `MCP-Protocol-Version`. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header */
export const HEADERLESS_VERSION: ProtocolVersion = REVISION_2025_03_26.version;

/** Returns the revision of any supported version. */
export function revisionOf(version: unknown): Revision | undefined {
  return REVISIONS.find((revision) => revision.version === version);
}

/** Returns the revision of a legacy version; such versions are negotiated by `initialize`. */
export function legacyRevision(version: unknown): Revision | undefined {
  const revision = revisionOf(version);
  return revision?.era === 'legacy' ? revision : undefined;
}

/** Returns the revision of a modern version; such versions are named in each request's `_meta`. */
export function modernRevision(version: unknown): Revision | undefined {
  const revision = revisionOf(version);
  return revision?.era === 'modern' ? revision : undefined;
}
