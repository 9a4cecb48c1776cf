import type { RunEvent } from './store/run-event.ts';

/** A signal between parts of the service. Signals are hints; the state is in SQL. */
export type Signal =
  | {
      readonly type: 'events';
      readonly runId: string;
      readonly lastSeq: number;
      /**
       * The new events, up to `lastSeq`, so that readers of the run need not read the store. A
       * publisher or a bus may leave them out.
       */
      readonly events?: readonly RunEvent[];
    }
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
