import type { ProtocolVersion } from '@signalbox/mcp-core';

/**
 * Position in a distributed trace, as `traceparent` and `tracestate` carry it.
 * @see https://www.w3.org/TR/trace-context/
 */
export type TraceContext = { readonly traceparent: string; readonly tracestate?: string };

/** A request to a server that begins or continues a tool call. */
export interface SentRequest {
  readonly method: 'tools/call' | 'resources/read' | 'tasks/get';
  readonly protocolVersion: ProtocolVersion;
  readonly transport: 'stdio' | 'http';
}

/** A tool call whose request is about to be sent. */
export interface SentCall extends SentRequest {
  readonly runId: string;
  readonly callId: string;
  readonly tool: { readonly server: string; readonly name: string };
}

/** Traces of runs. Absent where traces are off. No method throws or waits. */
export interface Traces {
  /**
   * Makes the client's span the parent of a run's spans. To be called before the first event of the
   * run in this process; later calls, and an invalid context, are ignored.
   */
  runRequested(runId: string, parent: TraceContext): void;
  /** Returns the context that the server continues. */
  callSent(call: SentCall): TraceContext;
}
