/** What travels between the parts of the service; every signal is a hint, the state is in SQL. */
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
      /** Set where only this call is to be stopped. */ readonly callId?: string;
    }
  | { readonly type: 'inbox'; readonly itemId: string };

export interface SignalBus {
  publish(signal: Signal): void;
  /** Listeners are called synchronously, in publish order, and must not throw. Returns the unsubscribe function. */
  subscribe(listener: (signal: Signal) => void): () => void;
}
