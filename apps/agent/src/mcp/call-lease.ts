import type { CallWaiting } from '../ports/tool-catalogue.ts';
import type { ServerLife } from './server-life.ts';

/** A request for a connection to make one call on. */
export interface CallAdmission {
  readonly runId: string;
  readonly callId?: string | undefined;
  /** The called tool. Undefined for a request of the service itself, whose input requests are refused. */
  readonly tool?: string | undefined;
  readonly signal?: AbortSignal;
  /** Milliseconds the call may wait for a connection. */
  readonly limitMs: number;
  readonly onWaiting?: ((waiting: CallWaiting) => void) | undefined;
}

/** The right to make one call on a connection. */
export interface ConnectionLease {
  readonly life: ServerLife;
  /**
   * Reports a successful result. After several results the tool is known not to send input
   * requests.
   */
  answered(): void;
  /** Releases the connection. To be called when nothing of the call is in flight. Idempotent. */
  release(): void;
}

export type Refusal = 'aborted' | 'too-long' | 'not-ready';

/** A call in flight. */
export type Lease = Pick<CallAdmission, 'runId' | 'tool'>;

/** A connection to a server with the calls on it. */
export interface LeasedConnection {
  readonly life: ServerLife;
  readonly leases: Set<Lease>;
  /** Run of the latest call. Its next call prefers this connection, where the server may hold state of the run. */
  lastRun: string | undefined;
  /** Reason why the connection accepts no new calls and is closed when it has none. */
  retiring: string | undefined;
  stopIdleTimer: () => void;
}
