import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc/messages.ts';

/**
 * The JSON-RPC and MCP error codes.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Used only with legacy peers. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
  /**
   * The user must visit the URLs in `data.elicitations` first. A tool may throw it: a client of
   * revision 2025-11-25 with url elicitation receives the error, with ids where the elicitations have
   * none; any other client receives a result with `isError`. So does every client when `data` lists
   * no URL elicitations.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
   */
  urlElicitationRequired: -32042,
  /** The user refused a sampling request. Used only with legacy peers. */
  rejectedByUser: -1,
} as const;

/** Error codes that only modern peers send. */
export const MODERN_ERROR_CODES: ReadonlySet<number> = new Set([
  ErrorCode.headerMismatch,
  ErrorCode.missingClientCapability,
  ErrorCode.unsupportedProtocolVersion,
]);

/**
 * An error that crosses the wire with its code and data. Thrown by a tool it becomes a result with
 * `isError` and its message, because the model can act on that; only -32021 (2026-07-28), -32042
 * (2025-11-25) and every code in a task stay errors. Codes of your own belong outside of -32768 to
 * -32000; -32000 to -32019 pass too, for programs that have them. A modern client receives -32602 in
 * place of -32002, and -32603 in place of an unknown code from -32099 to -32020, which the
 * specification reserves; `ServerEvents.onError` is then called.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: { data?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProtocolError';
    this.code = code;
    this.data = options.data;
  }

  /** Returns the `error` of the response. */
  toJSON(): JsonRpcErrorObject {
    return {
      code: this.code,
      message: this.message,
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }
}

/** Longest URI that templates match and that errors repeat in full. */
export const MAX_URI_CHARACTERS = 8192;

const MAX_QUOTED_CHARACTERS = 200;

/** Shortens text of the peer for an error message, so that no response grows with the refused request. */
export function shorten(text: string): string {
  return text.length <= MAX_QUOTED_CHARACTERS
    ? text
    : `${text.slice(0, MAX_QUOTED_CHARACTERS)}… (${text.length} characters)`;
}

/** The resource does not exist. The codec chooses the code of the revision. */
export class ResourceNotFoundError extends ProtocolError {
  readonly uri: string;

  constructor(uri: string) {
    super(ErrorCode.invalidParams, `Resource not found: ${shorten(uri)}`, {
      data: { uri: uri.length > MAX_URI_CHARACTERS ? shorten(uri) : uri },
    });
    this.name = 'ResourceNotFoundError';
    this.uri = uri;
  }
}

/** Options of a `ToolError`. */
export interface ToolErrorOptions {
  /**
   * Omitted from the result, with a report to `onError`, when it does not match the tool's output
   * schema.
   */
  readonly structuredContent?: unknown;
  /** `_meta` of the result: data for programs, independent of the output schema. */
  readonly meta?: JsonObject | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown by a tool handler: becomes a result with `isError: true` and a text for the model.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export class ToolError extends Error {
  readonly structuredContent: unknown;
  readonly meta: JsonObject | undefined;

  constructor(message: string, { structuredContent, meta, cause }: ToolErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ToolError';
    this.structuredContent = structuredContent;
    this.meta = meta;
  }
}

/** Codes of a `LocalError`. */
export type LocalErrorCode =
  | 'request-timeout'
  | 'request-cancelled'
  | 'connection-closed'
  | 'connection-lost'
  | 'connect-failed'
  | 'method-not-in-era'
  | 'capability-missing'
  /** An input request of the server was refused. */
  | 'input-refused'
  | 'invalid-response'
  | 'invalid-argument';

/** An error of this process that never crosses the wire. */
export class LocalError extends Error {
  readonly code: LocalErrorCode;
  /** Whether the request may have reached the peer; set for `connection-lost`, `request-timeout` and `request-cancelled`. */
  readonly sent: boolean;

  constructor(
    code: LocalErrorCode,
    message: string,
    options: { sent?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LocalError';
    this.code = code;
    this.sent = options.sent ?? false;
  }
}
