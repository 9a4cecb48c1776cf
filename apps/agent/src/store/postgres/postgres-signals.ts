import type { Signal, SignalBus } from '../../ports/signal-bus.ts';

/** Maximum length of a notification; PostgreSQL allows fewer than 8,000 bytes. */
const MAX_BYTES = 7900;

/** Maximum number of signals that wait to be sent. Further ones are lost. */
const MAX_WAITING = 10_000;

/** A signal as its type and keys. */
type Encoded =
  | readonly ['events', runId: string, lastSeq: number]
  | readonly ['cancel', runId: string, callId?: string]
  | readonly ['inbox', itemId: string]
  | readonly ['servers'];

export interface PostgresSignalsOptions {
  /** Delivers to the listeners of this process. */
  readonly local: SignalBus;
  /** Identifies the sender, which ignores its own notifications. */
  readonly sender: string;
  /** Sends a notification to every process. Never rejects. */
  readonly notify: (payload: string) => Promise<void>;
}

/**
 * A bus that also sends the keys of signals to other processes, by NOTIFY. The text of unfinished
 * messages stays in its process. Signals that are published while one notification is on its way
 * are sent together.
 */
export class PostgresSignals implements SignalBus {
  readonly #options: PostgresSignalsOptions;
  /** Signals by their keys, so that a newer one replaces an older one. */
  readonly #waiting = new Map<string, Encoded>();
  #isSending = false;

  constructor(options: PostgresSignalsOptions) {
    this.#options = options;
  }

  publish(signal: Signal): void {
    this.#options.local.publish(signal);
    const encoded = encode(signal);
    if (encoded === undefined || this.#waiting.size >= MAX_WAITING) return;
    const key = encoded[0] === 'events' ? `events ${encoded[1]}` : encoded.join(' ');
    this.#waiting.set(key, encoded);
    if (!this.#isSending) void this.#send();
  }

  subscribe: SignalBus['subscribe'] = (topic, listener) =>
    this.#options.local.subscribe(topic, listener);

  /** Delivers a notification of another process. Ignores those of this process, and any other text. */
  receive(payload: string): void {
    for (const signal of decode(payload, this.#options.sender)) this.#options.local.publish(signal);
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.size > 0) await this.#options.notify(this.#take());
    this.#isSending = false;
  }

  /** Takes as many signals as one notification holds. */
  #take(): string {
    const { sender } = this.#options;
    const parts: string[] = [];
    let bytes = sender.length + 10;
    for (const [key, encoded] of this.#waiting) {
      const part = JSON.stringify(encoded);
      bytes += Buffer.byteLength(part) + 1;
      if (bytes > MAX_BYTES && parts.length > 0) break;
      this.#waiting.delete(key);
      if (bytes <= MAX_BYTES) parts.push(part);
    }
    return `["${sender}",[${parts.join(',')}]]`;
  }
}

function encode(signal: Signal): Encoded | undefined {
  switch (signal.type) {
    case 'events':
      return ['events', signal.runId, signal.lastSeq];
    case 'cancel':
      return signal.callId === undefined
        ? ['cancel', signal.runId]
        : ['cancel', signal.runId, signal.callId];
    case 'inbox':
      return ['inbox', signal.itemId];
    case 'servers':
      return ['servers'];
    case 'delta':
      return undefined;
  }
}

function decode(payload: string, self: string): readonly Signal[] {
  try {
    // A process of this version wrote it, or the signals are ignored.
    const [sender, signals] = JSON.parse(payload) as [string, readonly Encoded[]];
    return sender === self ? [] : signals.map(signalOf);
  } catch {
    return [];
  }
}

function signalOf(encoded: Encoded): Signal {
  switch (encoded[0]) {
    case 'events':
      return { type: 'events', runId: encoded[1], lastSeq: encoded[2] };
    case 'cancel': {
      const [type, runId, callId] = encoded;
      return callId === undefined ? { type, runId } : { type, runId, callId };
    }
    case 'inbox':
      return { type: 'inbox', itemId: encoded[1] };
    case 'servers':
      return { type: 'servers' };
  }
}
