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
  /** Returns events with `seq > after` in ascending order, which is the order of their commits and has no gaps. */
  events(
    runId: string,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly RunEvent[]>;
}

export interface RunEventWriter {
  /**
   * Stores the events under the next sequence numbers and returns the last one. `at` is the time of
   * the events; default now.
   */
  append(runId: string, events: readonly NewEvent[], at?: number): Promise<number>;
}

/** Returns events as they are stored, given the sequence number of the last one. */
export function storedEvents(
  events: readonly NewEvent[],
  { runId, lastSeq, at }: Pick<RunEvent, 'runId' | 'at'> & { readonly lastSeq: number },
): readonly RunEvent[] {
  const first = lastSeq - events.length + 1;
  return events.map(({ type, data }, index) => ({
    runId,
    seq: first + index,
    type,
    version: 1,
    at,
    data,
  }));
}
