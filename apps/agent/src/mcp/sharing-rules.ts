import type { CallAdmission, Lease, LeasedConnection } from './call-lease.ts';
import { QuietTools } from './quiet-tools.ts';
import type { ServerLife } from './server-life.ts';

/** The current capacity for connections. */
export interface ConnectionCapacity {
  /** Whether a further connection may be opened, apart from the maximum number. */
  mayOpen(): boolean;
  /** Whether the maximum number of connections is open. */
  isFull(): boolean;
}

/**
 * Decides which calls may share a connection.
 *
 * A legacy server may send an input request that does not name its call. A connection therefore
 * carries calls of one run alone as long as one of these calls may send input requests. Calls of tools
 * that are known not to ask share a connection. After the first unnamed input request each connection
 * carries calls of one run at a time. A modern server names the call, so its connection is shared.
 */
export class SharingRules {
  readonly quietTools = new QuietTools();
  /** Whether each connection carries calls of one run at a time. */
  isOneRunEach = false;
  readonly #capacity: ConnectionCapacity;

  constructor(capacity: ConnectionCapacity) {
    this.#capacity = capacity;
  }

  mayCarry(connection: LeasedConnection, admission: CallAdmission): boolean {
    const { life, leases, retiring } = connection;
    if (retiring !== undefined) return false;
    if (isModern(life)) return true;
    if (this.isBarred(connection, admission)) return false;
    const others = [...leases].filter(({ runId }) => runId !== admission.runId);
    if (this.isOneRunEach) return others.length === 0;
    return admission.tool === undefined || this.#mayShare(admission, others);
  }

  /**
   * Whether the connection is closed to the call, because the server may still send an input
   * request for an abandoned call of another run.
   */
  isBarred(connection: LeasedConnection, admission: CallAdmission): boolean {
    if (
      !this.mayAskLate(connection) ||
      !connection.life.router.hasAbandonedCallOfOther(admission.runId)
    )
      return false;
    return this.isOneRunEach || this.#capacity.mayOpen() || this.#mayAsk(admission);
  }

  /**
   * Whether the server may send an unnamed input request for an abandoned call. Over HTTP, only
   * servers that have sent one before are expected to.
   */
  mayAskLate({ life }: LeasedConnection): boolean {
    if (isModern(life) || !life.router.hasAbandonedCalls) return false;
    return this.isOneRunEach || life.connection.pid !== undefined;
  }

  /**
   * Applies before the first unnamed input request. While no connection can be opened, calls that may
   * ask share a connection with calls that do not; an input request is then held until it is unambiguous.
   */
  #mayShare(call: Lease, others: readonly Lease[]): boolean {
    const isFull = this.#capacity.isFull();
    if (!this.#mayAsk(call)) return isFull || !others.some((other) => this.#mayAsk(other));
    return others.every((other) => other.tool === undefined || (isFull && !this.#mayAsk(other)));
  }

  #mayAsk({ tool }: Lease): boolean {
    return tool !== undefined && !this.quietTools.has(tool);
  }
}

/** A modern server sends input requests in the response to the call. */
function isModern(life: ServerLife): boolean {
  return life.connection.client.server.era === 'modern';
}
