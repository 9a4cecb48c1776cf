/** A signal between parts of the service. Signals are hints; the state is in SQL. */
export type Signal =
  | { readonly type: 'events'; readonly runId: string; readonly lastSeq: number }
  | {
      readonly type: 'delta';
      readonly runId: string;
      readonly messageId: string;
      readonly kind: 'text' | 'reasoning';
      readonly offset: number;
      readonly text: string;
    }
  | {
      readonly type: 'cancel';
      readonly runId: string;
      /** Set to stop only this call. */ readonly callId?: string;
    }
  | { readonly type: 'inbox'; readonly itemId: string };

export interface SignalBus {
  publish(signal: Signal): void;
  /** Listeners are called synchronously, in publish order, and must not throw. Returns the unsubscribe function. */
  subscribe(listener: (signal: Signal) => void): () => void;
}
