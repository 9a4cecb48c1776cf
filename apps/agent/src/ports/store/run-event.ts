import type { JsonObject } from '@signalbox/mcp-core';

/** A stored event of a run. */
export interface RunEvent {
  readonly runId: string;
  readonly seq: number;
  /** Dotted name, for example `tool_call.progress`. */
  readonly type: string;
  readonly version: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** snake_case JSON, sent to clients unchanged. */
  readonly data: JsonObject;
}

export type NewEvent = { readonly type: string; readonly data: JsonObject };

export interface RunEventReader {
  /** Returns events with `seq > after` in ascending order. */
  events(
    runId: string,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly RunEvent[]>;
}

export interface RunEventWriter {
  /** Stores the events under the next sequence numbers and returns the last one. */
  append(runId: string, events: readonly NewEvent[]): Promise<number>;
}
