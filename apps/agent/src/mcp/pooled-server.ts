import { LocalError, type Implementation } from '@signalbox/mcp-core';
import { HttpError } from '@signalbox/mcp-core/http/client';
import type { ServerConfig } from '../config/config.ts';
import type { BreakerStatus, ServerStatus } from '../ports/tool-registry.ts';
import { CallBreaker } from './call-breaker.ts';
import {
  CallConnections,
  type CallAdmission,
  type ConnectionLease,
  type Refusal,
} from './call-connections.ts';
import { EMPTY_CATALOGUE, type Catalogue } from './catalogue.ts';
import { describeFailure } from './describe-failure.ts';
import { secretMask } from './mask-secrets.ts';
import type { PinSurroundings } from './pinned-catalogue.ts';
import { restartDelayMs } from './restart-delay.ts';
import type { SchemaChecks } from './schema-checks.ts';
import type { ConnectServer } from './server-connection.ts';
import { startLife, type ServerLife } from './server-life.ts';
import { ServerLog } from './server-log.ts';
import { describeServer, type ServerStage } from './server-status.ts';

export interface PooledServerOptions extends PinSurroundings {
  readonly info: Implementation;
  readonly connect: ConnectServer;
  /** Gives 0 to 1. */
  readonly random: () => number;
  /** Milliseconds the server has to answer a ping. */
  readonly graceMs: number;
  readonly schemas: SchemaChecks;
  readonly onChange: (status: ServerStatus) => void;
}

/** A server that was ready for so long is no quick failure when it ends. */
const STABLE_MS = 60_000;
/** The processes or sessions of one server that may be open at a time. */
const DEFAULT_CONNECTIONS = 4;
/** The lines of a server's stderr that are kept to explain a failure. */
const MAX_STDERR_LINES = 50;
/** How long a server may take to show that it can still be reached. */
const REACHED_MS = 10_000;

/** One configured server: connected, and connected again whenever that failed or ended, until it is closed or drained. */
export class PooledServer {
  readonly config: ServerConfig;
  /** Keeps calls from a server that does not answer; outlives the server's processes. */
  readonly breaker: CallBreaker;
  /** Replaces the server's secrets in a text. */
  readonly mask: (text: string) => string;
  readonly #options: PooledServerOptions;
  readonly #log: ServerLog;
  #stage: ServerStage;
  #roots: readonly string[];
  /** Of this server at present; outlives them. */
  readonly #connections: CallConnections;
  #catalogue = EMPTY_CATALOGUE;
  #start = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  /** The end of the life before: nothing is started while something of it is left. */
  #ending: Promise<void> = Promise.resolve();
  #cancelRestart: () => void = () => undefined;
  /** What follows when no call is in flight any more. */
  #draining: 'start' | 'rest' | undefined;
  /** Whether it is started again on purpose: its tools are still offered, and calls wait. */
  #isReplaced = false;
  #doubted: ServerLife | undefined;
  #failures = 0;
  /** The last lines on stderr since it was last started. */
  #stderr: string[] = [];

  constructor(config: ServerConfig, options: PooledServerOptions) {
    this.config = config;
    this.#options = options;
    this.#roots = config.roots;
    this.mask = secretMask(config);
    this.#log = new ServerLog(options.logger, config.name, this.mask);
    this.#connections = new CallConnections({
      clock: options.clock,
      max: config.connections ?? DEFAULT_CONNECTIONS,
      onOpenAnother: () => void this.#openAnother(this.#start.signal),
      onClose: (life, reason) => this.#onClose(life, reason),
      onReplaceOnly: (life, reason) => void this.replace(life, reason),
      onChange: () => this.#onCalls(),
    });
    this.breaker = new CallBreaker({
      clock: options.clock,
      random: options.random,
      onChange: (status) => this.#onBreaker(status),
    });
    this.#stage = {
      state: 'connecting',
      since: options.clock.now(),
      restarts: 0,
      error: undefined,
    };
  }

  /** Milliseconds it has to answer a ping, and to end when it is to. */
  get graceMs(): number {
    return this.#options.graceMs;
  }

  get status(): ServerStatus {
    const calls = this.#connections.status();
    return describeServer({
      config: this.config,
      stage: this.#stage,
      life: this.life,
      breaker: this.breaker.status,
      roots: this.#roots,
      calls,
      mask: this.mask,
    });
  }

  /** Where it is in its lives; `status` tells more, and takes longer. */
  get stage(): ServerStage {
    return this.#stage;
  }

  /** The connection that answers lists; defined while the server is connected. */
  get life(): ServerLife | undefined {
    return this.#connections.first;
  }

  /** Whether calls are taken: it is ready, or is started again on purpose. */
  get isOffering(): boolean {
    return (
      this.#stage.state === 'ready' || (this.#stage.state === 'connecting' && this.#isReplaced)
    );
  }

  /** What the server offers, or offered when it was last connected, quarantined tools included. */
  get catalogue(): Catalogue {
    return this.life?.tools.current ?? this.#catalogue;
  }

  /** Begins to connect and returns at once; an attempt that is under way is given up. */
  start(): void {
    this.#start.abort();
    this.#connections.forgetOpening();
    this.#start = new AbortController();
    this.#starting = this.#begin(this.#start.signal, Promise.all([this.#ending, this.#starting]));
  }

  /** Resolves when the call may be made, with the connection for it, or with the reason why it may not. */
  acquire(admission: CallAdmission): Promise<ConnectionLease | Refusal> {
    return this.#connections.acquire(admission);
  }

  /** Replaces this connection, and the process, as soon as no call is in flight on it; it takes no new calls until then. */
  retire(life: ServerLife, reason: string): void {
    this.#connections.retire(life, reason);
  }

  /** Ends this connection, and the process, now; the server is started again unless another connection is open. Resolves when it has ended. */
  async replace(life: ServerLife, reason: string): Promise<void> {
    if (this.#connections.has(life)) {
      this.#log.warn('a process of the server is replaced', { reason });
      this.#leave(life);
      if (this.life === undefined) this.#startReplaced();
      else this.#changed();
    }
    await life.connection.exited;
  }

  /** Reads the list of tools again. */
  refreshTools(): void {
    void this.life?.tools.refresh();
  }

  /** To be called when what is pinned has changed. */
  async compareWithPins(): Promise<void> {
    await Promise.all(this.#connections.lives.map(({ tools }) => tools.compareWithPins()));
  }

  /** A call over this connection was lost, and the connection knows of no end: looks whether the server can be reached. */
  doubt(life: ServerLife): void {
    if (this.#doubted === life || !this.#connections.has(life)) return;
    this.#doubted = life;
    const settle = (error?: unknown): void => {
      this.#doubted = undefined;
      if (isUnreachable(error)) this.#onEnded(life, error);
    };
    life.connection.client
      .ping({ timeoutMs: REACHED_MS, maxTotalMs: REACHED_MS })
      .then(() => settle(), settle);
  }

  /** Connects anew: `graceful`, when no call is in flight any more and without new ones until then; `now` loses the calls in flight. */
  reconnect(mode: 'graceful' | 'now'): void {
    if (this.#stage.state === 'closed') return;
    this.breaker.reset();
    this.#failures = 0;
    if (this.life === undefined) this.#startAgain(mode);
    else if (mode === 'now') this.#restart();
    else this.#drainTo('start');
  }

  /** Takes no new calls, and ends the server when none is in flight any more (`graceful`), or `now`. It then rests until `reconnect`. */
  drain(mode: 'graceful' | 'now'): void {
    if (this.#stage.state === 'closed') return;
    if (mode === 'now' || this.life === undefined) this.#rest();
    else this.#drainTo('rest');
  }

  /** Changes its roots until the service ends. A server that was not told that there can be roots is started afresh when no call is in flight. */
  async setRoots(roots: readonly string[]): Promise<void> {
    this.#roots = roots;
    this.#changed();
    await Promise.all(this.#connections.lives.map((life) => this.#announceRoots(life)));
  }

  /** Ends the processes, the attempt to start one or the wait for the next attempt. */
  async close(): Promise<void> {
    this.#rest('closed');
    await Promise.all([this.#starting, this.#ending]);
  }

  async #announceRoots(life: ServerLife): Promise<void> {
    if (life.router.handlers.listRoots === undefined) {
      if (this.#roots.length > 0) this.retire(life, 'it has roots now');
      return;
    }
    // A connection that has ended needs no notification: the next one begins with these roots.
    await life.connection.client
      .rootsChanged()
      .catch((error: unknown) =>
        this.#log.debug(
          `the change of roots could not be sent: ${error instanceof Error ? error.message : String(error)}`,
        ),
      );
  }

  async #begin(signal: AbortSignal, before: Promise<unknown>): Promise<void> {
    await before;
    if (this.#isGivenUp(signal)) return;
    this.#stderr = [];
    try {
      const life = await this.#connect(signal);
      if (this.#isGivenUp(signal)) await life.connection.close();
      else this.#enter(life);
    } catch (error) {
      if (!this.#isGivenUp(signal)) this.#fail(error);
    }
  }

  /** Opens a connection beside those there are; where that fails the calls share these. */
  async #openAnother(signal: AbortSignal): Promise<void> {
    try {
      const life = await this.#connect(signal);
      if (this.#isGivenUp(signal)) return this.#end(life);
      this.#watch(life);
      this.#connections.opened(life);
      this.#changed();
    } catch (error) {
      if (this.#isGivenUp(signal)) return;
      this.#log.warn(
        'another connection to the server could not be opened; its calls wait for those there are',
        {
          error: this.mask(describeFailure(this.config, error, [])),
        },
      );
      this.#connections.openFailed();
    }
  }

  #connect(signal: AbortSignal): Promise<ServerLife> {
    return startLife(this.config, {
      ...this.#options,
      signal,
      roots: () => this.#roots,
      onStderr: (line) => this.#onStderr(line),
      onLog: (line) => this.#log.debug(line),
      onCatalogue: () => this.#onCatalogue(),
      onUnnamedQuestion: () => this.#onUnnamedQuestion(),
    });
  }

  #isGivenUp(start: AbortSignal): boolean {
    return start.aborted;
  }

  #enter(life: ServerLife): void {
    this.#isReplaced = false;
    this.#connections.add(life);
    this.#enterStage('ready');
    this.#log.warnings(this.status.warnings);
    this.#watch(life);
    this.#connections.open();
  }

  #watch(life: ServerLife): void {
    void life.ended.then((error) => this.#onEnded(life, error));
  }

  #onClose(life: ServerLife, reason: string | undefined): void {
    this.#end(life);
    if (reason !== undefined) this.#log.info('a process of the server was replaced', { reason });
    this.#enterStage(this.#stage.state, {
      ...this.#stage,
      restarts: this.#stage.restarts + (reason === undefined ? 0 : 1),
    });
  }

  #leave(life: ServerLife): void {
    this.#catalogue = life.tools.current;
    this.#connections.remove(life);
    this.#end(life);
  }

  /** What the connection's process started may take a while to end. */
  #end(life: ServerLife): void {
    this.#ending = Promise.all([this.#ending, life.connection.close()]).then(() => undefined);
  }

  #onEnded(life: ServerLife, error: Error): void {
    if (!this.#connections.has(life)) return;
    this.#leave(life);
    if (this.life !== undefined) {
      this.#log.warn('a connection to the server ended', { error: this.mask(error.message) });
      if (this.#stage.state === 'ready') this.#connections.open();
      this.#onCalls();
      return;
    }
    if (this.#draining === 'rest') return this.#rest();
    if (this.#options.clock.now() - this.#stage.since >= STABLE_MS) this.#failures = 0;
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#failures += 1;
    this.#abandonStart();
    const delayMs = restartDelayMs(this.#failures, this.#options.random);
    const description = this.mask(describeFailure(this.config, error, this.#stderr));
    this.#log.debug(`the server is started again in ${delayMs} ms`);
    this.#cancelRestart = this.#options.clock.after(delayMs, () => {
      this.#enterStage('connecting', { error: description, restarts: this.#stage.restarts + 1 });
      this.start();
    });
    this.#enterStage('failed', { error: description });
  }

  #startAgain(mode: 'graceful' | 'now'): void {
    if (this.#stage.state === 'connecting' && mode === 'graceful') return;
    this.#cancelRestart();
    this.#enterStage('connecting', { restarts: this.#stage.restarts + 1 });
    this.start();
  }

  /** Ends every connection and starts the server again; calls that come meanwhile wait. */
  #restart(): void {
    for (const life of this.#connections.lives) this.#leave(life);
    this.#startReplaced();
  }

  #startReplaced(): void {
    this.#isReplaced = true;
    this.#draining = undefined;
    this.#enterStage('connecting', { restarts: this.#stage.restarts + 1 });
    this.start();
    this.#connections.open();
  }

  #drainTo(next: 'start' | 'rest'): void {
    this.#draining = next;
    this.#connections.shut();
    this.#enterStage('draining');
    this.#onCalls();
  }

  /** A call ended, or began to wait. */
  #onCalls(): void {
    if (this.#draining === undefined || this.#connections.hasCalls) return;
    if (this.#draining === 'rest') this.#rest();
    else this.#restart();
  }

  #rest(state: 'drained' | 'closed' = 'drained'): void {
    this.#cancelRestart();
    this.#abandonStart();
    for (const life of this.#connections.lives) this.#leave(life);
    this.#enterStage(state);
  }

  /** Gives up what is being connected, and refuses the calls that wait for it. */
  #abandonStart(): void {
    this.#draining = undefined;
    this.#isReplaced = false;
    this.#start.abort();
    this.#connections.forgetOpening();
    this.#connections.shut();
  }

  #onCatalogue(): void {
    if (this.life === undefined) return;
    this.#changed();
    this.#log.warnings(this.status.warnings);
  }

  #onUnnamedQuestion(): void {
    if (this.#connections.areRunsSeparate) return;
    this.#log.info(
      'the server asks questions that name no call: from now on each connection carries the calls of one run at a time',
    );
    this.#connections.separateRuns();
  }

  #onBreaker({ state, failures, opensAgainAt }: BreakerStatus): void {
    if (state === 'closed') this.#log.info('the server answers calls again');
    else
      this.#log.warn('the server does not answer; calls are kept from it for a while', {
        failures,
        wait_ms: (opensAgainAt ?? 0) - this.#options.clock.now(),
      });
    this.#changed();
  }

  #onStderr(line: string): void {
    this.#stderr = [...this.#stderr.slice(1 - MAX_STDERR_LINES), line];
    this.#log.debug(line);
  }

  #enterStage(
    state: ServerStage['state'],
    { error, restarts = this.#stage.restarts }: Partial<ServerStage> = {},
  ): void {
    this.#stage = {
      state,
      error,
      restarts,
      since: state === this.#stage.state ? this.#stage.since : this.#options.clock.now(),
    };
    this.#changed();
  }

  #changed(): void {
    this.#options.onChange(this.status);
  }
}

/** A status of HTTP is an answer, and silence may be a server that is busy. */
function isUnreachable(error: unknown): error is LocalError {
  if (!(error instanceof LocalError) || error.code === 'request-timeout') return false;
  return !(error.cause instanceof HttpError) || error.cause.isSessionLost;
}
