import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryEventStore, type EventStore } from '../../src/http/server/index.ts';
import type { StoredEvent, StreamAddress } from '../../src/http/server/event-store.ts';

/** An event store that takes its time, and knows what is left in it. */
export class TrackedStore implements EventStore {
  readonly #events = new MemoryEventStore();
  readonly #sessions = new Set<string>();
  #readers = 0;

  /** Sessions with events. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Replays that have not ended. */
  get readers(): number {
    return this.#readers;
  }

  /** Takes longer than `forget`. */
  async append(address: StreamAddress, event: StoredEvent): Promise<void> {
    await nextTurn();
    this.#sessions.add(address.sessionId);
    this.#events.append(address, event);
  }

  async *after(address: StreamAddress, sequence: number): AsyncGenerator<StoredEvent> {
    this.#readers += 1;
    try {
      for (const event of this.#events.after(address, sequence)) {
        await nextTick();
        yield event;
      }
    } finally {
      this.#readers -= 1;
    }
  }

  async forget(sessionId: string): Promise<void> {
    await nextTick();
    this.#sessions.delete(sessionId);
    this.#events.forget(sessionId);
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
