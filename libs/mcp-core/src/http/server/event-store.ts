/** An event of a stream, kept for clients that resume it. */
export interface StoredEvent {
  /** Increases within its stream. */
  readonly sequence: number;
  readonly data: string;
}

/** The stream of an event: its session and its id within the session. */
export interface StreamAddress {
  readonly sessionId: string;
  /** Unique in the session. */
  readonly stream: number;
}

/**
 * Stores the events of legacy sessions, for clients that lose a connection and resume the stream.
 */
export interface EventStore {
  /** Appends an event to a stream. A rejection is reported; the event then cannot be replayed. */
  append(address: StreamAddress, event: StoredEvent): Promise<void> | undefined;
  /** Returns the events of a stream after `sequence`, in order, without dropped ones. */
  after(
    address: StreamAddress,
    sequence: number,
  ): Iterable<StoredEvent> | AsyncIterable<StoredEvent>;
  /** Deletes the events of an ended session. */
  forget(sessionId: string): Promise<void> | void;
}

/** Limits of a `MemoryEventStore`. Each event counts as 256 bytes more than its data. */
export interface MemoryEventStoreLimits {
  /** Default: 1000. */
  readonly maxEventsPerSession?: number | undefined;
  /** Default: 1 MiB. The newest event of a session is always kept. */
  readonly maxBytesPerSession?: number | undefined;
  /** Default: 64 MiB. The session that stored an event least recently loses its events first. */
  readonly maxBytes?: number | undefined;
}

/** Stores the newest events of each session in memory. */
export class MemoryEventStore implements EventStore {
  /** Sessions in the order of their last event. */
  readonly #sessions = new Map<string, SessionEvents>();
  readonly #maxEventsPerSession: number;
  readonly #maxBytesPerSession: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #last: { readonly sessionId: string; readonly events: SessionEvents } | undefined;

  constructor({
    maxEventsPerSession = 1000,
    maxBytesPerSession = 1_048_576,
    maxBytes = 67_108_864,
  }: MemoryEventStoreLimits = {}) {
    this.#maxEventsPerSession = maxEventsPerSession;
    this.#maxBytesPerSession = maxBytesPerSession;
    this.#maxBytes = maxBytes;
  }

  append({ sessionId, stream }: StreamAddress, event: StoredEvent): undefined {
    const events = this.#eventsOf(sessionId);
    this.#bytes += events.append(stream, event);
    while (
      events.length > 1 &&
      (events.length > this.#maxEventsPerSession || events.bytes > this.#maxBytesPerSession)
    )
      this.#bytes -= events.dropOldest();
    this.#evict(events);
  }

  after({ sessionId, stream }: StreamAddress, sequence: number): readonly StoredEvent[] {
    return this.#sessions.get(sessionId)?.after(stream, sequence) ?? [];
  }

  forget(sessionId: string): void {
    this.#bytes -= this.#sessions.get(sessionId)?.bytes ?? 0;
    this.#sessions.delete(sessionId);
    if (this.#last?.sessionId === sessionId) this.#last = undefined;
  }

  /** Returns the events of a session, moved to the end if present. */
  #eventsOf(sessionId: string): SessionEvents {
    if (this.#last?.sessionId === sessionId) return this.#last.events;
    const events = this.#sessions.get(sessionId) ?? new SessionEvents();
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, events);
    this.#last = { sessionId, events };
    return events;
  }

  #evict(newest: SessionEvents): void {
    if (this.#bytes <= this.#maxBytes) return;
    for (const [sessionId, events] of this.#sessions) {
      if (this.#bytes <= this.#maxBytes || events === newest) return;
      this.forget(sessionId);
    }
  }
}

interface Entry {
  readonly stream: number;
  readonly event: StoredEvent;
  readonly bytes: number;
}

/** Bytes that an event takes beside its data. */
const EVENT_BYTES = 256;
/** Number of dropped entries at the front after which the array is compacted. */
const MAX_DROPPED = 256;

class SessionEvents {
  bytes = 0;
  #entries: (Entry | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#entries.length - this.#first;
  }

  append(stream: number, event: StoredEvent): number {
    const bytes = Buffer.byteLength(event.data) + EVENT_BYTES;
    this.#entries.push({ stream, event, bytes });
    this.bytes += bytes;
    return bytes;
  }

  dropOldest(): number {
    const { bytes = 0 } = this.#entries[this.#first] ?? {};
    this.#entries[this.#first] = undefined;
    this.#first += 1;
    if (this.#first > MAX_DROPPED) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    this.bytes -= bytes;
    return bytes;
  }

  after(stream: number, sequence: number): StoredEvent[] {
    return this.#entries.flatMap((entry) =>
      entry?.stream === stream && entry.event.sequence > sequence ? [entry.event] : [],
    );
  }
}
