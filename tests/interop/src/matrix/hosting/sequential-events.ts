import type { JsonRpcMessageV1 } from '../../../../peers/src/sdk-v1-serving.ts';

interface Stored {
  readonly streamId: string;
  readonly message: JsonRpcMessageV1;
}

/** Stores the events of one session for the official SDKs, in order. */
export class SequentialEvents {
  readonly #events: Stored[] = [];

  storeEvent(streamId: string, message: JsonRpcMessageV1): Promise<string> {
    this.#events.push({ streamId, message });
    return Promise.resolve(`event-${String(this.#events.length)}`);
  }

  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.#events[indexAfter(eventId) - 1]?.streamId);
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { readonly send: (eventId: string, message: JsonRpcMessageV1) => Promise<void> },
  ): Promise<string> {
    const first = indexAfter(lastEventId);
    const { streamId } = this.#events[first - 1] ?? { streamId: '' };
    for (const [offset, event] of this.#events.slice(first).entries()) {
      if (event.streamId === streamId)
        await send(`event-${String(first + offset + 1)}`, event.message);
    }
    return streamId;
  }
}

/** Returns the index after the event with this id. */
function indexAfter(eventId: string): number {
  return Number(eventId.slice('event-'.length));
}
