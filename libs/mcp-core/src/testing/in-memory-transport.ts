import type { JsonRpcBatch, JsonRpcMessage } from '../jsonrpc/messages.ts';
import type { Transport, TransportReceiver } from '../jsonrpc/transport.ts';

/**
 * Creates two connected transports. Messages travel as JSON text, in order, and arrive in a later
 * microtask. Closing either transport closes both.
 */
export function createInMemoryTransports(): [Transport, Transport] {
  const left = new InMemoryTransport();
  const right = new InMemoryTransport();
  left.connect(right);
  right.connect(left);
  return [left, right];
}

class InMemoryTransport implements Transport {
  #other: InMemoryTransport | undefined;
  #receiver: TransportReceiver | undefined;
  #waiting: string[] = [];
  #isClosed = false;

  connect(other: InMemoryTransport): void {
    this.#other = other;
  }

  start(receiver: TransportReceiver): Promise<void> {
    queueMicrotask(() => {
      if (this.#isClosed) {
        receiver.closed();
        return;
      }
      this.#receiver = receiver;
      for (const text of this.#waiting.splice(0)) receiver.message(JSON.parse(text) as unknown);
    });
    return Promise.resolve();
  }

  async send(message: JsonRpcMessage | JsonRpcBatch): Promise<void> {
    if (this.#isClosed) throw new Error('The connection is closed');
    const text = JSON.stringify(message);
    await Promise.resolve();
    this.#other?.deliver(text);
  }

  close(): Promise<void> {
    this.#finish();
    this.#other?.finishLater();
    return Promise.resolve();
  }

  deliver(text: string): void {
    if (this.#isClosed) return;
    if (this.#receiver === undefined) this.#waiting.push(text);
    else this.#receiver.message(JSON.parse(text) as unknown);
  }

  finishLater(): void {
    queueMicrotask(() => {
      this.#finish();
    });
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#receiver?.closed();
  }
}
