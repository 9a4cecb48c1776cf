import type { JsonObject } from '../jsonrpc/messages.ts';
import type { ContentBlock } from './content.ts';
import type { Icon } from './icons.ts';

/**
 * Hints about a tool's behavior, trusted only from trusted servers. Defaults: not read-only,
 * destructive, not idempotent, open world.
 */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A JSON Schema 2020-12 document. */
export type JsonSchema = JsonObject;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /**
   * Whether a call may, or must, become a task. Default: neither. On the wire only in 2025-11-25,
   * as `execution.taskSupport`.
   */
  readonly task?: 'optional' | 'required';
  readonly _meta?: JsonObject;
}

/** The result of `tools/call`. */
export type CallToolResult = {
  readonly content: readonly ContentBlock[];
  /** Any JSON value in 2026-07-28; codecs wrap or omit it for older peers. */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
};
