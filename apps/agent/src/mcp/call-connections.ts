import type { Clock } from '../ports/clock.ts';
import type { CallWaiting, ServerConnectionStatus } from '../ports/tool-catalogue.ts';
import type {
  CallAdmission,
  ConnectionLease,
  Lease,
  LeasedConnection,
  Refusal,
} from './call-lease.ts';
import type { ServerLife } from './server-life.ts';
import { SharingRules } from './sharing-rules.ts';

export interface CallConnectionsOptions {
  readonly clock: Clock;
  /** Maximum number of connections, including those being opened. */
  readonly max: number;
  /** Opens a further connection; the caller reports the result with `opened` or `openFailed`. */
  readonly onOpenAnother: () => void;
  /** Closes a connection without calls that was removed. `reason`: why it is replaced. */
  readonly onClose: (life: ServerLife, reason: string | undefined) => void;
  /** Replaces the only connection, which has no calls. It was not removed. */
  readonly onReplaceOnly: (life: ServerLife, reason: string) => void;
  /** Called when a call has ended or has begun to wait. */
  readonly onChange: () => void;
}

interface Waiter {
  readonly admission: CallAdmission;
  readonly since: number;
  /** Whether the call waits because the tools of the other calls may still send input requests. */
  isLearning: boolean;
  waiting: CallWaiting | undefined;
  readonly settle: (granted: ConnectionLease | Refusal) => void;
}

/**
 * Milliseconds that a call waits for another run's call whose tool may send input requests, before
 * a further connection is opened. Most tools return within this time.
 */
const LEARN_MS = 250;
/** Milliseconds an additional connection stays open without a call. */
const IDLE_MS = 60_000;
/** Milliseconds before a further connection is opened again after a failure. */
const OPEN_AGAIN_MS = 60_000;

const ABANDONED_CALL = 'a call was abandoned, and the server may still send input requests for it';

/**
 * The connections to one server and the calls on them, as `SharingRules` allow. Opens up to `max`
 * connections on demand. A connection with an abandoned call carries no calls of other runs, since the
 * server may still send an input request for that call.
 */
export class CallConnections {
  readonly #options: CallConnectionsOptions;
  readonly #connections: LeasedConnection[] = [];
  readonly #waiters: Waiter[] = [];
  readonly #rules = new SharingRules({
    mayOpen: () => this.#mayOpen(),
    isFull: () => this.#isFull(),
  });
  #opening = 0;
  #opensAgainAt = 0;
  #isOpen = false;
  #stopOpenTimer: () => void = () => undefined;

  constructor(options: CallConnectionsOptions) {
    this.#options = options;
  }

  /** The connection for lists and single requests. */
  get first(): ServerLife | undefined {
    return (
      this.#connections.find(({ retiring }) => retiring === undefined) ?? this.#connections[0]
    )?.life;
  }

  get lives(): readonly ServerLife[] {
    return this.#connections.map(({ life }) => life);
  }

  get hasCalls(): boolean {
    return this.#connections.some(({ leases }) => leases.size > 0);
  }

  has(life: ServerLife): boolean {
    return this.#find(life) !== undefined;
  }

  status(): {
    readonly connections: readonly ServerConnectionStatus[];
    readonly waiting: readonly (CallWaiting & {
      readonly runId: string;
      readonly callId?: string;
      readonly since: number;
    })[];
  } {
    const connections = this.#connections.map(({ life, leases, retiring }) => ({
      ...(life.connection.pid === undefined ? {} : { pid: life.connection.pid }),
      calls: leases.size,
      runs: [...new Set([...leases].map(({ runId }) => runId))],
      openInputRequests: life.router.openInputRequests,
      ...(retiring === undefined ? {} : { retiring }),
    }));
    const waiting = this.#waiters.flatMap(({ admission: { runId, callId }, since, waiting: why }) =>
      why === undefined
        ? []
        : [{ runId, ...(callId === undefined ? {} : { callId }), since, ...why }],
    );
    return { connections, waiting };
  }

  /** Makes each connection carry calls of one run at a time. Calls in flight continue. */
  separateRuns(): void {
    this.#rules.isOneRunEach = true;
    this.#arrange();
  }

  get areRunsSeparate(): boolean {
    return this.#rules.isOneRunEach;
  }

  /** Accepts calls, which wait while there is no connection. */
  open(): void {
    this.#isOpen = true;
    this.#arrange();
  }

  /** Refuses waiting and further calls. */
  shut(): void {
    this.#isOpen = false;
    this.#stopOpenTimer();
    for (const waiter of this.#waiters.slice()) waiter.settle('not-ready');
  }

  add(life: ServerLife): void {
    const connection = {
      life,
      leases: new Set<Lease>(),
      lastRun: undefined,
      retiring: undefined,
      stopIdleTimer: () => undefined,
    };
    this.#connections.push(connection);
    this.#arrange();
    if (connection.leases.size === 0) this.#onIdle(connection);
  }

  /** Adds a connection requested by `onOpenAnother`. */
  opened(life: ServerLife): void {
    this.#opening -= 1;
    for (const connection of this.#connections)
      if (this.#rules.mayAskLate(connection)) connection.retiring ??= ABANDONED_CALL;
    this.add(life);
  }

  /** Forgets requested connections whose result will not be reported. */
  forgetOpening(): void {
    this.#opening = 0;
  }

  /** Reports that a connection requested by `onOpenAnother` could not be opened. */
  openFailed(): void {
    this.#opening -= 1;
    this.#opensAgainAt = this.#options.clock.now() + OPEN_AGAIN_MS;
    this.#stopOpenTimer();
    this.#stopOpenTimer = this.#options.clock.after(OPEN_AGAIN_MS, () => {
      this.#opensAgainAt = 0;
      this.#arrange();
    });
    this.#arrange();
  }

  /** Removes a connection that has ended or is being closed. */
  remove(life: ServerLife): void {
    const connection = this.#find(life);
    if (connection === undefined) return;
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    connection.stopIdleTimer();
  }

  /** Stops sending new calls to the connection, and closes it when it has none. */
  retire(life: ServerLife, reason: string): void {
    const connection = this.#find(life);
    if (connection === undefined) return;
    connection.retiring ??= reason;
    this.#arrange();
  }

  /** Resolves with a lease when the call may be sent, or with a refusal. */
  acquire(admission: CallAdmission): Promise<ConnectionLease | Refusal> {
    const { signal, limitMs } = admission;
    if (signal?.aborted === true) return Promise.resolve('aborted');
    if (!this.#isOpen) return Promise.resolve('not-ready');
    const connection = this.#pick(admission);
    if (connection !== undefined) return Promise.resolve(this.#grant(connection, admission));
    return new Promise((resolve) => {
      const settle = (granted: ConnectionLease | Refusal): void => {
        stopTimer();
        stopLearning();
        signal?.removeEventListener('abort', onAbort);
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        resolve(granted);
        this.#options.onChange();
      };
      const onAbort = (): void => settle('aborted');
      const stopTimer = this.#options.clock.after(limitMs, () => settle('too-long'));
      // The timer decides, not the clock: a timer may fire before the clock shows the full time.
      const stopLearning = this.#options.clock.after(LEARN_MS, () => {
        waiter.isLearning = false;
        this.#arrange();
      });
      const waiter: Waiter = {
        admission,
        since: this.#options.clock.now(),
        isLearning: true,
        waiting: undefined,
        settle,
      };
      this.#waiters.push(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#arrange();
    });
  }

  #find(life: ServerLife): LeasedConnection | undefined {
    return this.#connections.find((connection) => connection.life === life);
  }

  #pick(admission: CallAdmission): LeasedConnection | undefined {
    const { runId } = admission;
    const usable = this.#connections.filter((connection) =>
      this.#rules.mayCarry(connection, admission),
    );
    return (
      usable.find(({ leases }) => [...leases].some((lease) => lease.runId === runId)) ??
      usable.find(({ lastRun }) => lastRun === runId) ??
      usable[0]
    );
  }

  #isFull(): boolean {
    return (
      this.#opening === 0 && (this.#connections.length >= this.#options.max || !this.#mayOpen())
    );
  }

  #mayOpen(): boolean {
    return this.#options.max > 1 && this.#options.clock.now() >= this.#opensAgainAt;
  }

  #grant(connection: LeasedConnection, { runId, tool }: CallAdmission): ConnectionLease {
    const { leases } = connection;
    const lease: Lease = { runId, tool };
    leases.add(lease);
    connection.lastRun = runId;
    connection.stopIdleTimer();
    return {
      life: connection.life,
      answered: () => {
        if (tool !== undefined) this.#rules.quietTools.answered(tool);
      },
      release: () => {
        if (!leases.delete(lease)) return;
        if (leases.size === 0) this.#onIdle(connection);
        this.#arrange();
        this.#options.onChange();
      },
    };
  }

  #onIdle(connection: LeasedConnection): void {
    const { life } = connection;
    if (!this.#connections.includes(connection)) return;
    if (this.#rules.isOneRunEach && this.#rules.mayAskLate(connection))
      connection.retiring ??= ABANDONED_CALL;
    connection.stopIdleTimer();
    connection.stopIdleTimer = this.#options.clock.after(IDLE_MS, () => {
      if (this.first !== life && connection.leases.size === 0) this.#close(connection);
    });
    if (this.#connections.length === 1) connection.stopIdleTimer();
  }

  /** Grants leases to waiting calls, opens connections for the others, and closes unused ones. */
  #arrange(): void {
    if (!this.#isOpen) return;
    for (const waiter of this.#waiters.slice()) {
      const connection = this.#pick(waiter.admission);
      if (connection !== undefined) waiter.settle(this.#grant(connection, waiter.admission));
    }
    const waiters = this.#waiters.filter((waiter) => !this.#mayLearn(waiter));
    this.#retireBarred(waiters);
    this.#closeUnused();
    const wanted = Math.max(
      new Set(waiters.map(({ admission }) => admission.runId)).size,
      this.#isUnused() ? 1 : 0,
    );
    while (
      this.#opening < wanted &&
      this.#mayOpen() &&
      this.#connections.length > 0 &&
      this.#makeRoom()
    ) {
      this.#opening += 1;
      this.#options.onOpenAnother();
    }
    for (const waiter of waiters) this.#reportWaiting(waiter);
  }

  /** Whether the call only waits for the result of a tool that may soon be known not to ask. */
  #mayLearn({ admission, isLearning }: Waiter): boolean {
    if (this.#rules.isOneRunEach || !isLearning) return false;
    return this.#connections.some(
      (connection) =>
        connection.retiring === undefined && !this.#rules.isBarred(connection, admission),
    );
  }

  /** Retires the only connection when an abandoned call on it bars a waiting call. */
  #retireBarred(waiters: readonly Waiter[]): void {
    const [only, second] = this.#connections;
    if (only === undefined || second !== undefined || only.leases.size > 0 || this.#mayOpen())
      return;
    if (waiters.some(({ admission }) => this.#rules.isBarred(only, admission)))
      only.retiring ??= ABANDONED_CALL;
  }

  /** Whether all connections are retiring and one of them can be replaced now. */
  #isUnused(): boolean {
    return (
      this.#connections.every(({ retiring }) => retiring !== undefined) &&
      this.#connections.some(({ leases }) => leases.size === 0)
    );
  }

  #closeUnused(): void {
    for (const connection of this.#connections.slice()) {
      if (connection.retiring === undefined || connection.leases.size > 0) continue;
      if (this.#connections.length > 1) this.#close(connection);
      else if (!this.#mayOpen()) this.#options.onReplaceOnly(connection.life, connection.retiring);
    }
  }

  /** Whether a connection may be opened. At the maximum, closes one that no waiting call can use. */
  #makeRoom(): boolean {
    if (this.#connections.length + this.#opening < this.#options.max) return true;
    const unused = this.#connections.find(
      (connection) =>
        connection.leases.size === 0 &&
        this.#waiters.every(({ admission }) => !this.#rules.mayCarry(connection, admission)),
    );
    if (unused === undefined || this.#connections.length === 1) return false;
    this.#close(unused);
    return true;
  }

  #close(connection: LeasedConnection): void {
    this.remove(connection.life);
    this.#options.onClose(connection.life, connection.retiring);
  }

  #reportWaiting(waiter: Waiter): void {
    const waiting = this.#reasonToWait();
    if (waiter.waiting?.message === waiting.message) return;
    waiter.waiting = waiting;
    waiter.admission.onWaiting?.(waiting);
    this.#options.onChange();
  }

  #reasonToWait(): CallWaiting {
    if (this.#connections.length === 0)
      return { reason: 'server_restarting', message: 'the server is being started again' };
    if (this.#opening > 0)
      return {
        reason: 'connection_opening',
        message: 'a further connection to the server is being opened',
      };
    const asking = this.#connections.filter(({ life }) => life.router.openInputRequests > 0).length;
    const all =
      this.#connections.length === 1
        ? 'the only connection to the server carries'
        : `all ${this.#connections.length} connections to the server carry`;
    return {
      reason: 'connections_busy',
      message: `${all} calls of other runs${asking === 0 ? '' : `; ${asking} of them ${asking === 1 ? 'waits' : 'wait'} for a person or the model`}`,
    };
  }
}
