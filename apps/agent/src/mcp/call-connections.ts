import type { Clock } from '../ports/test-hooks.ts';
import type { CallWaiting, ServerConnectionStatus } from '../ports/tool-registry.ts';
import { QuietTools } from './quiet-tools.ts';
import type { ServerLife } from './server-life.ts';

export interface CallConnectionsOptions {
  readonly clock: Clock;
  /** The most connections, being opened included, that are there at a time. */
  readonly max: number;
  /** Starts to open another connection; the caller reports the end with `add` or `openFailed`. */
  readonly onOpenAnother: () => void;
  /** Closes a connection that has no calls, and was removed; `reason` tells why it was replaced. */
  readonly onClose: (life: ServerLife, reason: string | undefined) => void;
  /** The last connection, without calls, has to be replaced, and no second may be open beside it. It was not removed. */
  readonly onReplaceOnly: (life: ServerLife, reason: string) => void;
  /** A call ended, or began to wait. */
  readonly onChange: () => void;
}

export interface CallAdmission {
  readonly runId: string;
  readonly callId?: string | undefined;
  /** The tool that is called; undefined for a request of the service itself, whose questions nobody answers. */
  readonly tool?: string | undefined;
  readonly signal?: AbortSignal;
  /** Milliseconds the call may wait for a connection. */
  readonly limitMs: number;
  readonly onWaiting?: ((waiting: CallWaiting) => void) | undefined;
}

/** The right to make one call over a connection. */
export interface ConnectionLease {
  readonly life: ServerLife;
  /** Counts an answer of the tool for the rule that a tool which does not ask shares a connection. */
  answered(): void;
  /** Idempotent; to be called when nothing of the call is left. */
  release(): void;
}

export type Refusal = 'aborted' | 'too-long' | 'not-ready';

/** A call in flight. */
type Lease = Pick<CallAdmission, 'runId' | 'tool'>;

interface Connection {
  readonly life: ServerLife;
  readonly leases: Set<Lease>;
  /** The run that used it last: the state it left in the server is found there again. */
  lastRun: string | undefined;
  /** Why it takes no new calls and is closed when it has none. */
  retiring: string | undefined;
  stopIdleTimer: () => void;
}

interface Waiter {
  readonly admission: CallAdmission;
  readonly since: number;
  waiting: CallWaiting | undefined;
  readonly settle: (granted: ConnectionLease | Refusal) => void;
}

/** How long a call waits for a call of another run, of a tool that may ask, before another connection is opened. Ordinary tools have answered by then. */
const LEARN_MS = 250;
/** How long a connection beside the first one stays open without a call. */
const IDLE_MS = 60_000;
/** How long the calls make do with the connections there are, after another one could not be opened. */
const OPEN_AGAIN_MS = 60_000;

const GIVEN_UP = 'a call was given up, and the server may still ask about it';

/**
 * The connections to one server, and which calls go over which. A legacy server may ask a question that does not name the call it belongs to, so a connection
 * carries calls of one run alone as long as one of these calls may ask. Calls of tools that are known not to ask share a connection. After the first unnamed
 * question each connection carries calls of one run at a time. More connections are opened when they are needed, up to `max`. A connection on which a call
 * was given up carries calls of no other run, since the server may still ask about the given-up call.
 */
export class CallConnections {
  readonly #options: CallConnectionsOptions;
  readonly #connections: Connection[] = [];
  readonly #waiters: Waiter[] = [];
  readonly #quietTools = new QuietTools();
  #opening = 0;
  #isOneRunEach = false;
  #opensAgainAt = 0;
  #isOpen = false;
  #stopOpenTimer: () => void = () => undefined;

  constructor(options: CallConnectionsOptions) {
    this.#options = options;
  }

  /** The connection that lists and single requests use. */
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
      openQuestions: life.router.openQuestions,
      ...(retiring === undefined ? {} : { retiring }),
    }));
    const waiting = this.#waiters.flatMap(({ admission: { runId, callId }, since, waiting: why }) =>
      why === undefined
        ? []
        : [{ runId, ...(callId === undefined ? {} : { callId }), since, ...why }],
    );
    return { connections, waiting };
  }

  /** From here on each connection carries calls of one run at a time; calls in flight go on. */
  separateRuns(): void {
    this.#isOneRunEach = true;
    this.#arrange();
  }

  get areRunsSeparate(): boolean {
    return this.#isOneRunEach;
  }

  /** Calls are taken: they wait while there is no connection. */
  open(): void {
    this.#isOpen = true;
    this.#arrange();
  }

  /** No calls are taken, and those that wait are refused. */
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

  /** A connection that `onOpenAnother` began to open is there. */
  opened(life: ServerLife): void {
    this.#opening -= 1;
    for (const connection of this.#connections)
      if (this.#mayStillAsk(connection)) connection.retiring ??= GIVEN_UP;
    this.add(life);
  }

  /** Nothing that was being opened is reported any more. */
  forgetOpening(): void {
    this.#opening = 0;
  }

  openFailed(): void {
    this.#opening -= 1;
    this.#opensAgainAt = this.#options.clock.now() + OPEN_AGAIN_MS;
    this.#stopOpenTimer();
    this.#stopOpenTimer = this.#options.clock.after(OPEN_AGAIN_MS, () => this.#arrange());
    this.#arrange();
  }

  /** The connection has ended or is about to be. */
  remove(life: ServerLife): void {
    const connection = this.#find(life);
    if (connection === undefined) return;
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    connection.stopIdleTimer();
  }

  /** The connection takes no new calls and is closed when it has none; another one takes its place. */
  retire(life: ServerLife, reason: string): void {
    const connection = this.#find(life);
    if (connection === undefined) return;
    connection.retiring ??= reason;
    this.#arrange();
  }

  /** Resolves when the call may be made, or with the reason why it may not. */
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
      const stopLearning = this.#options.clock.after(LEARN_MS, () => this.#arrange());
      const waiter: Waiter = {
        admission,
        since: this.#options.clock.now(),
        waiting: undefined,
        settle,
      };
      this.#waiters.push(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#arrange();
    });
  }

  #find(life: ServerLife): Connection | undefined {
    return this.#connections.find((connection) => connection.life === life);
  }

  #pick(admission: CallAdmission): Connection | undefined {
    const { runId } = admission;
    const usable = this.#connections.filter((connection) => this.#mayCarry(connection, admission));
    return (
      usable.find(({ leases }) => [...leases].some((lease) => lease.runId === runId)) ??
      usable.find(({ lastRun }) => lastRun === runId) ??
      usable[0]
    );
  }

  #mayCarry(connection: Connection, admission: CallAdmission): boolean {
    const { life, leases, retiring } = connection;
    if (retiring !== undefined) return false;
    if (isModern(life)) return true;
    if (this.#isBarredByGivenUp(connection, admission)) return false;
    const others = [...leases].filter(({ runId }) => runId !== admission.runId);
    if (this.#isOneRunEach) return others.length === 0;
    return admission.tool === undefined || this.#mayShare(admission, others);
  }

  /** Before the server has asked. While no further connection can be opened, calls that may ask share one with calls that do not: a question is then held, not refused. */
  #mayShare(call: Lease, others: readonly Lease[]): boolean {
    if (!this.#mayAsk(call)) return this.#isFull() || !others.some((other) => this.#mayAsk(other));
    return others.every(
      (other) => other.tool === undefined || (this.#isFull() && !this.#mayAsk(other)),
    );
  }

  #mayAsk({ tool }: Lease): boolean {
    return tool !== undefined && !this.#quietTools.has(tool);
  }

  #isFull(): boolean {
    return (
      this.#opening === 0 && (this.#connections.length >= this.#options.max || !this.#mayOpen())
    );
  }

  #isBarredByGivenUp(connection: Connection, admission: CallAdmission): boolean {
    if (
      !this.#mayStillAsk(connection) ||
      !connection.life.router.hasGivenUpCallOfOther(admission.runId)
    )
      return false;
    return this.#isOneRunEach || this.#mayOpen() || this.#mayAsk(admission);
  }

  /** Whether a question about a call that was given up may come without its name: over HTTP only from a server that has asked so before. */
  #mayStillAsk({ life }: Connection): boolean {
    if (isModern(life) || !life.router.hasGivenUpCalls) return false;
    return this.#isOneRunEach || life.connection.pid !== undefined;
  }

  #mayOpen(): boolean {
    return this.#options.max > 1 && this.#options.clock.now() >= this.#opensAgainAt;
  }

  #grant(connection: Connection, { runId, tool }: CallAdmission): ConnectionLease {
    const { leases } = connection;
    const lease: Lease = { runId, tool };
    leases.add(lease);
    connection.lastRun = runId;
    connection.stopIdleTimer();
    return {
      life: connection.life,
      answered: () => {
        if (tool !== undefined) this.#quietTools.answered(tool);
      },
      release: () => {
        if (!leases.delete(lease)) return;
        if (leases.size === 0) this.#onIdle(connection);
        this.#arrange();
        this.#options.onChange();
      },
    };
  }

  #onIdle(connection: Connection): void {
    const { life } = connection;
    if (!this.#connections.includes(connection)) return;
    if (this.#isOneRunEach && this.#mayStillAsk(connection)) connection.retiring ??= GIVEN_UP;
    connection.stopIdleTimer();
    connection.stopIdleTimer = this.#options.clock.after(IDLE_MS, () => {
      if (this.first !== life && connection.leases.size === 0) this.#close(connection);
    });
    if (this.#connections.length === 1) connection.stopIdleTimer();
  }

  /** Admits the waiting calls that can go, opens connections for the others, and closes what is not used any more. */
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
    for (const waiter of waiters) this.#tell(waiter);
  }

  /** Whether the call waits for nothing but the answer of a tool that may soon be known not to ask. */
  #mayLearn({ admission, since }: Waiter): boolean {
    if (this.#isOneRunEach || this.#options.clock.now() - since >= LEARN_MS) return false;
    return this.#connections.some(
      (connection) =>
        connection.retiring === undefined && !this.#isBarredByGivenUp(connection, admission),
    );
  }

  /** The only connection is replaced when a call was given up on it and a call waits that must not share it. */
  #retireBarred(waiters: readonly Waiter[]): void {
    const [only, second] = this.#connections;
    if (only === undefined || second !== undefined || only.leases.size > 0 || this.#mayOpen())
      return;
    if (waiters.some(({ admission }) => this.#isBarredByGivenUp(only, admission)))
      only.retiring ??= GIVEN_UP;
  }

  /** Whether there are only connections that take no new calls, and one of them can be replaced now. */
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

  /** Whether another connection may be opened; at the limit one that nobody who waits can use is closed for it. */
  #makeRoom(): boolean {
    if (this.#connections.length + this.#opening < this.#options.max) return true;
    const unused = this.#connections.find(
      (connection) =>
        connection.leases.size === 0 &&
        this.#waiters.every(({ admission }) => !this.#mayCarry(connection, admission)),
    );
    if (unused === undefined || this.#connections.length === 1) return false;
    this.#close(unused);
    return true;
  }

  #close(connection: Connection): void {
    this.remove(connection.life);
    this.#options.onClose(connection.life, connection.retiring);
  }

  #tell(waiter: Waiter): void {
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
        message: 'another connection to the server is being opened',
      };
    const asking = this.#connections.filter(({ life }) => life.router.openQuestions > 0).length;
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

/** A modern server asks in the answer to the call. */
function isModern(life: ServerLife): boolean {
  return life.connection.client.server.era === 'modern';
}
