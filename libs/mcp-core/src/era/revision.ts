import type { Era, ProtocolVersion } from './versions.ts';
import type { TaskFlavour } from './task-codec.ts';

/** What differs between the protocol revisions, as data. */
export interface Revision {
  readonly version: ProtocolVersion;
  readonly era: Era;
  readonly clientRequests: readonly string[];
  readonly serverRequests: readonly string[];
  readonly hasBatches: boolean;
  readonly hasPrimingEvents: boolean;
  readonly hasErrorsWithoutId: boolean;
  readonly rejectsBadArguments: boolean;
  readonly resourceNotFoundCode: number;
  readonly hasAudio: boolean;
  readonly hasResourceLinks: boolean;
  /** `object`: other values travel as `{ result: value }`. */
  readonly structuredContent: 'none' | 'object' | 'any';
  /** Whether a listed tool tells by `execution.taskSupport` that it can become a task. */
  readonly hasToolExecution: boolean;
  readonly tasks: TaskFlavour;
  /** Whether a server that completes says so. */
  readonly hasCompletionsCapability: boolean;
  /** Whether a sampling message may hold several blocks, tool calls and tool results. */
  readonly hasSamplingBlocks: boolean;
  /** `form-2025-06-18`: choices as `enum` with `enumNames`, no multiple choice, boolean defaults only. */
  readonly elicitation: 'none' | 'form-2025-06-18' | 'form-and-url';
  /** Whether url elicitation carries an `elicitationId`, and the error -32042 can name the ids that are required. */
  readonly hasElicitationId: boolean;
}

export const LEGACY_CLIENT_REQUESTS = [
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
] as const;
