import type { Implementation } from '@signalbox/mcp-core';
import type { LoginRequest } from '@signalbox/mcp-core/auth';
import { isRemote, type ServerConfig } from '../config/config.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { CallBreaker } from './call-breaker.ts';
import { CallConnections } from './call-connections.ts';
import type { CallAdmission, ConnectionLease, Refusal } from './call-lease.ts';
import { EMPTY_CATALOGUE, type Catalogue } from './catalogue.ts';
import { describeFailure } from './describe-failure.ts';
import { LoginTracker } from './login-tracker.ts';
import { neededLogin } from './needed-login.ts';
import type { LoginMark, ServerAuthorizations } from './server-authorizations.ts';
import { messageOf } from '../text/error-text.ts';
import { secretMask } from './mask-secrets.ts';
import type { PinDependencies } from './pinned-catalogue.ts';
import { ReachabilityCheck } from './reachability.ts';
import { RestartSchedule } from './restart-schedule.ts';
import type { SchemaChecks } from '../schema/schema-checks.ts';
import type { ConnectServer } from './server-connection.ts';
import { ServerLauncher } from './server-launcher.ts';
import type { ServerLife } from './server-life.ts';
import { ServerLog } from './server-log.ts';
import { StageTracker, type AfterDraining, type ServerStage } from './server-stage.ts';
import { describeServer } from './server-status.ts';

export interface PooledServerOptions extends PinDependencies {
  readonly info: Implementation;
  readonly connect: ConnectServer;
  /** Returns 0 to 1. */
  readonly random: () => number;
  /** Milliseconds the server may take to answer a ping. */
  readonly graceMs: number;
  readonly schemas: SchemaChecks;
  readonly onChange: (status: ServerStatus) => void;
  /** Undefined: no server has logins. */
  readonly authorizations?: ServerAuthorizations | undefined;
}

/** Default maximum of open processes or sessions of one server. */
const DEFAULT_CONNECTIONS = 4;

/** A configured server. Connects, and reconnects after each failure or end, until it is closed or drained. */
export class PooledServer {
  readonly config: ServerConfig;
  /** Circuit breaker for calls. Outlives the server's processes. */
  readonly breaker: CallBreaker;
  /** Replaces the server's secrets in a text. */
  readonly mask: (text: string) => string;
  readonly log: ServerLog;
  readonly #options: PooledServerOptions;
  readonly #stages: StageTracker;
  #roots: readonly string[];
  /** The current connections. Outlives each of them. */
  readonly #connections: CallConnections;
  readonly #launcher: ServerLauncher;
  readonly #logins = new LoginTracker();
  readonly #restarts: RestartSchedule;
  readonly #reachability = new ReachabilityCheck((life, error) => this.#onEnded(life, error));
  #catalogue = EMPTY_CATALOGUE;

  constructor(config: ServerConfig, options: PooledServerOptions) {
    this.config = config;
    this.#options = options;
    this.#roots = config.roots;
    this.mask = secretMask(config);
    this.log = new ServerLog(config.name, { ...options, mask: this.mask });
    this.#restarts = new RestartSchedule(options);
    this.#connections = new CallConnections({
      clock: options.clock,
      max: config.connections ?? DEFAULT_CONNECTIONS,
      onOpenAnother: () => this.#openAnother(),
      onClose: (life, reason) => this.#onClose(life, reason),
      onReplaceOnly: (life, reason) => void this.replace(life, reason),
      onChange: () => this.#onCalls(),
    });
    this.#launcher = new ServerLauncher(config, {
      ...options,
      connect: (server, how) =>
        isRemote(server)
          ? this.#noteLogin().then(() => options.connect(server, how))
          : options.connect(server, how),
      roots: () => this.#roots,
      onStderr: (line) => this.log.debug(line),
      onLog: (line) => this.log.debug(line),
      onCatalogue: () => this.#onCatalogue(),
      onUnnamedInputRequest: () => this.#onUnnamedInputRequest(),
    });
    this.breaker = new CallBreaker({
      clock: options.clock,
      random: options.random,
      onChange: (status) => {
        this.log.breaker(status, options.clock.now());
        this.#changed();
      },
    });
    this.#stages = new StageTracker(options.clock, () => this.#changed());
  }

  /** Milliseconds the server may take to answer a ping, and to end when it is closed. */
  get graceMs(): number {
    return this.#options.graceMs;
  }

  get status(): ServerStatus {
    const calls = this.#connections.status();
    return describeServer({
      config: this.config,
      stage: this.#stages.current,
      life: this.life,
      breaker: this.breaker.status,
      roots: this.#roots,
      calls,
      login: this.#logins.needed,
      mask: this.mask,
    });
  }

  /** The lifecycle stage. Cheaper to read than `status`. */
  get stage(): ServerStage {
    return this.#stages.current;
  }

  /** The connection for lists. Undefined while the server is not connected. */
  get life(): ServerLife | undefined {
    return this.#connections.first;
  }

  /** Whether calls are accepted: the server is ready, or is being restarted on purpose. */
  get isOffering(): boolean {
    return this.stage.state === 'ready' || this.stage.isReplaced;
  }

  /** The login that the server needs. */
  get neededLogin(): LoginRequest | undefined {
    return this.#logins.needed;
  }

  /** Whether the server is being connected because of a login. */
  get isConnectingAfterLogin(): boolean {
    return this.stage.state === 'connecting' && this.#logins.isUsed;
  }

  /** Tools of the latest connection, including quarantined ones. */
  get catalogue(): Catalogue {
    return this.life?.tools.current ?? this.#catalogue;
  }

  /** Begins to connect and returns at once. Does nothing for a server that was drained before. */
  start(): void {
    if (this.stage.state === 'connecting') this.#launch();
  }

  /** Resolves with a lease of a connection when the call may be sent, or with a refusal. */
  acquire(admission: CallAdmission): Promise<ConnectionLease | Refusal> {
    return this.#connections.acquire(admission);
  }

  /** Stops sending new calls to the connection, and replaces it once no call is in flight on it. */
  retire(life: ServerLife, reason: string): void {
    this.#connections.retire(life, reason);
  }

  /** Ends the connection and its process now, and restarts the server if it was the last one. Resolves when the process has ended. */
  async replace(life: ServerLife, reason: string): Promise<void> {
    if (this.#connections.has(life)) {
      this.log.warn('a process of the server is replaced', { reason });
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

  /** Compares the tools with the pins again. To be called when pins have changed. */
  async compareWithPins(): Promise<void> {
    await Promise.all(this.#connections.lives.map(({ tools }) => tools.compareWithPins()));
  }

  /** Checks whether the server is reachable, after a call was lost on a connection that has not ended. */
  doubt(life: ServerLife): void {
    if (this.#connections.has(life)) this.#reachability.begin(life);
  }

  /** Stores that a request was refused until a person logs in. */
  needLogin(request: LoginRequest): void {
    this.#logins.need(request);
    this.#changed();
  }

  /** Uses the last login or logout by any process, if it is a new one. Connects no server that was drained, or that another worker owns. */
  lookForLogin(mark: LoginMark | undefined): void {
    const change = this.#logins.look(mark);
    if (change === 'none') return;
    if (change === 'logout') this.#options.authorizations?.forget(this.config.name);
    const { state } = this.stage;
    const isTried = state === 'needs_login' || (change === 'logout' && state === 'ready');
    return isTried ? this.reconnect('now') : this.#changed();
  }

  /** Reconnects. `graceful`: accepts no new calls and waits for those in flight; `now`: loses those in flight. */
  reconnect(mode: 'graceful' | 'now'): void {
    if (this.stage.state === 'closed') return;
    this.breaker.reset();
    this.#restarts.reset();
    if (this.life === undefined) this.#startAgain(mode);
    else if (mode === 'now') this.#restart();
    else this.#drainTo('restart');
  }

  /** Accepts no new calls and ends the server, once no call is in flight (`graceful`) or `now`. It stays ended until `reconnect`. */
  drain(mode: 'graceful' | 'now'): void {
    if (this.stage.state === 'closed') return;
    if (mode === 'now' || this.life === undefined) this.#endAll('end');
    else this.#drainTo('end');
  }

  /** Sets the roots until the service ends. A server that connected without the roots capability is restarted once no call is in flight. */
  async setRoots(roots: readonly string[]): Promise<void> {
    this.#roots = roots;
    this.#changed();
    await Promise.all(this.#connections.lives.map((life) => this.#announceRoots(life)));
  }

  /** Ends the processes and cancels a pending start. */
  async close(): Promise<void> {
    this.#endAll('close');
    await this.#launcher.settled();
  }

  async #noteLogin(): Promise<void> {
    this.#logins.begin((await this.#options.authorizations?.marks())?.get(this.config.name));
  }

  async #announceRoots(life: ServerLife): Promise<void> {
    if (life.router.handlers.listRoots === undefined) {
      if (this.#roots.length > 0) this.retire(life, 'the server now has roots');
      return;
    }
    // A connection that has ended needs no notification: the next one reads the current roots.
    await life.connection.client
      .rootsChanged()
      .catch((error: unknown) =>
        this.log.debug(`the change of roots could not be sent: ${messageOf(error)}`),
      );
  }

  /** Opens a further connection. After a failure the calls share the open ones. */
  #openAnother(): void {
    this.#launcher.openAnother({
      onOpened: (life) => {
        this.#watch(life);
        this.#connections.opened(life);
        this.#changed();
      },
      onFailed: (error) => {
        this.log.warn(
          'a further connection to the server could not be opened; its calls wait for the open connections',
          { error: this.mask(describeFailure(this.config, error, [])) },
        );
        this.#connections.openFailed();
      },
    });
  }

  #enter(life: ServerLife): void {
    this.#connections.add(life);
    this.#logins.satisfied();
    this.#stages.move('open');
    this.log.warnings(this.status.warnings);
    this.#watch(life);
    this.#connections.open();
  }

  #watch(life: ServerLife): void {
    void life.ended.then((error) => this.#onEnded(life, error));
  }

  #onClose(life: ServerLife, reason: string | undefined): void {
    this.#launcher.end(life);
    if (reason !== undefined) this.log.info('a process of the server was replaced', { reason });
    if (reason === undefined) this.#changed();
    else this.#stages.countRestart();
  }

  #leave(life: ServerLife): void {
    this.#catalogue = life.tools.current;
    this.#connections.remove(life);
    this.#launcher.end(life);
  }

  #onEnded(life: ServerLife, error: Error): void {
    if (!this.#connections.has(life)) return;
    this.#leave(life);
    if (this.life !== undefined) {
      this.log.warn('a connection to the server ended', { error: this.mask(error.message) });
      if (this.stage.state === 'ready') this.#connections.open();
      this.#onCalls();
      return;
    }
    if (this.stage.afterDraining === 'end') return this.#endAll('end');
    this.#restarts.noteReadySince(this.stage.since);
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#abandonStart();
    const description = this.mask(this.#launcher.describe(error));
    const login = neededLogin(error);
    if (login !== undefined && this.stage.state === 'connecting') {
      this.#logins.need(login);
      return this.#stages.move('needLogin', { error: description });
    }
    const delayMs = this.#restarts.schedule(() => {
      this.#stages.move('retry', { error: description });
      this.#launch();
    });
    this.log.failed(description, delayMs);
    this.#stages.move('fail', { error: description });
  }

  #startAgain(mode: 'graceful' | 'now'): void {
    if (this.stage.state === 'connecting' && mode === 'graceful') return;
    this.#restarts.cancel();
    this.#stages.move('reconnect');
    this.#launch();
  }

  /** Ends every connection and restarts the server. New calls wait for it. */
  #restart(): void {
    for (const life of this.#connections.lives) this.#leave(life);
    this.#startReplaced();
  }

  #startReplaced(): void {
    this.#stages.move('replace');
    this.#launch();
    this.#connections.open();
  }

  #drainTo(afterDraining: AfterDraining): void {
    this.#connections.shut();
    this.#stages.move('drain', { afterDraining });
    this.#onCalls();
  }

  /** Continues draining when a call has ended or has begun to wait. */
  #onCalls(): void {
    const { afterDraining } = this.stage;
    if (afterDraining === undefined || this.#connections.hasCalls) return;
    if (afterDraining === 'end') this.#endAll('end');
    else this.#restart();
  }

  /** Ends every connection and cancels a pending start. */
  #endAll(transition: 'end' | 'close'): void {
    this.#restarts.cancel();
    this.#abandonStart();
    for (const life of this.#connections.lives) this.#leave(life);
    this.#stages.move(transition);
  }

  /** Starts the server. Abandons a start in progress. */
  #launch(): void {
    this.#connections.forgetOpening();
    this.#launcher.start({
      onOpened: (life) => this.#enter(life),
      onFailed: (error) => this.#fail(error),
    });
  }

  /** Abandons the current start and refuses the calls that wait for it. */
  #abandonStart(): void {
    this.#launcher.abandon();
    this.#connections.forgetOpening();
    this.#connections.shut();
  }

  #onCatalogue(): void {
    if (this.life === undefined) return;
    this.#changed();
    this.log.warnings(this.status.warnings);
  }

  #onUnnamedInputRequest(): void {
    if (this.#connections.areRunsSeparate) return;
    this.log.info(
      'the server sends input requests that name no call: from now on each connection carries the calls of one run at a time',
    );
    this.#connections.separateRuns();
  }

  #changed(): void {
    this.#options.onChange(this.status);
  }
}
