import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { framesOf, type EventView } from '../support/client.ts';

export const LAST_EVENTS = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.expired']);
const RECONNECT_MS = 100;

/** Events that a reader received over all of its connections. */
export interface Received {
  readonly name: string;
  readonly runId: string;
  /** Sequence numbers in the order in which they arrived. */
  readonly seqs: readonly number[];
  /** Hash of the events, which is that of the stored events if both are the same. */
  readonly digest: string;
  /** Number of streams that the reader opened. */
  readonly connections: number;
}

export interface ReaderOptions {
  readonly name: string;
  readonly runId: string;
  /** Base URL of the API process; it changes with each start. */
  readonly url: () => string;
  /** Number of events after which the reader disconnects and resumes. Default: it stays connected. */
  readonly eventsPerConnection?: (() => number) | undefined;
  readonly onEvent?: ((event: EventView) => void) | undefined;
  /** Ends the reader. */
  readonly signal: AbortSignal;
}

/** Returns the hash of events, which are compared as JSON. */
export function digestOf(events: readonly EventView[]): string {
  const hash = createHash('sha256');
  for (const event of events) hash.update(`${JSON.stringify(event)}\n`);
  return hash.digest('hex');
}

/** Follows a run to its last event. After a disconnection it resumes with `Last-Event-ID`. */
export async function readRun(options: ReaderOptions): Promise<Received> {
  const { name, runId, signal, onEvent } = options;
  const hash = createHash('sha256');
  const seqs: number[] = [];
  let hasLast = false;
  let connections = 0;
  while (!hasLast && !signal.aborted) {
    connections += 1;
    try {
      for await (const event of eventsAfter(seqs.at(-1), options)) {
        seqs.push(event.seq);
        hash.update(`${JSON.stringify(event)}\n`);
        hasLast ||= LAST_EVENTS.has(event.type);
        onEvent?.(event);
      }
    } catch (error) {
      // The connection or the API process ended, or the API process has no database now.
      if (!(error instanceof TypeError || error instanceof BusyError || isAborted(signal)))
        throw error;
      await wait(RECONNECT_MS);
    }
  }
  return { name, runId, seqs, digest: hash.digest('hex'), connections };
}

/** Statuses of requests that should be sent again: they came too slowly, were too many, or found no database. */
const BUSY = [408, 429, 503];

/** Whether the request should be sent again later. */
export function isBusy({ status }: Response): boolean {
  return BUSY.includes(status);
}

/** A stream that the service refused for now. */
class BusyError extends Error {}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Opens one stream and yields its events, at most as many as the reader stays for. */
async function* eventsAfter(
  seq: number | undefined,
  { url, runId, signal, eventsPerConnection }: ReaderOptions,
): AsyncGenerator<EventView, void> {
  const stop = new AbortController();
  let left = eventsPerConnection?.() ?? Infinity;
  const response = await fetch(`${url()}/v1/runs/${runId}/events`, {
    headers: {
      accept: 'text/event-stream',
      ...(seq === undefined ? {} : { 'last-event-id': String(seq) }),
    },
    signal: AbortSignal.any([stop.signal, signal]),
  });
  try {
    if (isBusy(response)) throw new BusyError();
    if (!response.ok)
      throw new Error(`a stream was refused: ${response.status} ${await response.text()}`);
    if (response.body === null) return;
    for await (const frame of framesOf(response.body)) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (!frame.startsWith('id: ') || data === undefined) continue;
      yield JSON.parse(data) as EventView;
      left -= 1;
      if (left === 0) return;
    }
  } finally {
    stop.abort();
  }
}
