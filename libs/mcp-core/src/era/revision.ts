import type { Era, ProtocolVersion } from './versions.ts';
import type { TaskKind } from './task-codec.ts';

/** The differences between the protocol revisions, as data. */
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
  /** `object`: other values are wrapped as `{ result: value }`. */
  readonly structuredContent: 'none' | 'object' | 'any';
  /** Whether a listed tool declares by `execution.taskSupport` that it can become a task. */
  readonly hasToolExecution: boolean;
  readonly tasks: TaskKind;
  /** Whether servers declare a capability for completion. */
  readonly hasCompletionsCapability: boolean;
  /** Whether a sampling message may have several blocks, tool calls and tool results. */
  readonly hasSamplingBlocks: boolean;
  /**
   * `form-2025-06-18`: choices as `enum` with `enumNames`, no multiple choice, only boolean
   * defaults.
   */
  readonly elicitation: 'none' | 'form-2025-06-18' | 'form-and-url';
  /** Whether url elicitation has an `elicitationId`, and the error -32042 can list required ids. */
  readonly hasElicitationId: boolean;
}
