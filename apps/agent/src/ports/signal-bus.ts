import type { RunEvent } from './store/run-event.ts';

/** A signal between parts of the service, in one process or several. A hint; the state is in SQL. */
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
      readonly kind: 'text' | 'reasoning' | 'arguments';
      /** Set for `arguments`: the tool call of the message whose JSON grows. */
      readonly toolUse?: { readonly index: number; readonly id: string; readonly name: string };
      /** Number of characters of this part of the message before `text`. */
      readonly offset: number;
      readonly text: string;
    }
  | {
      readonly type: 'cancel';
      readonly runId: string;
      /** Set to stop only this call. */ readonly callId?: string;
    }
  | { readonly type: 'inbox'; readonly itemId: string }
  /** The state of a server, a command to a worker or its answer, or a job for a worker was stored. */
  | { readonly type: 'servers' };

/**
 * Address of signals. `run:<id>` has the events and deltas of a run, `item:<id>` the changes of an
 * inbox item, `cancels` every request to stop a run or a call, for the processes that make calls, and
 * `servers` the states of servers, and the commands and jobs for workers.
 */
export type Topic = `run:${string}` | `item:${string}` | 'cancels' | 'servers';

/** Returns the topic of a signal. */
export function topicOf(signal: Signal): Topic {
  switch (signal.type) {
    case 'events':
    case 'delta':
      return `run:${signal.runId}`;
    case 'inbox':
      return `item:${signal.itemId}`;
    case 'cancel':
      return 'cancels';
    case 'servers':
      return 'servers';
  }
}

/**
 * Delivers signals to the listeners of their topics, at most once and possibly later. A signal can
 * be lost, and signals of different publishers have no order. So each waiter also reads the store
 * periodically; see `SignalWatch`.
 */
export interface SignalBus {
  /** Publishes a signal on its topic. Never throws; a failure loses the signal. */
  publish(signal: Signal): void;
  /**
   * Calls `listener` with signals of the topic that are published from now on, one at a time, in the
   * order of their publisher. Must not throw. Returns the unsubscribe function.
   */
  subscribe(topic: Topic, listener: (signal: Signal) => void): () => void;
}
