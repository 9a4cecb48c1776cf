import { LocalError, type Implementation } from '@signalbox/mcp-core';
import { HttpError } from '@signalbox/mcp-core/http-client';
import type { ServerConfig } from '../config/config.ts';
import type { BreakerStatus, ServerStatus } from '../ports/tool-registry.ts';
import type { BoundedEvaluation } from './bounded-evaluation.ts';
import { CallBreaker } from './call-breaker.ts';
import { CallGate } from './call-gate.ts';
import { EMPTY_CATALOGUE, type Catalogue } from './catalogue.ts';
import { describeFailure } from './describe-failure.ts';
import { secretMask } from './mask-secrets.ts';
import type { PinSurroundings } from './pinned-catalogue.ts';
import { restartDelayMs } from './restart-delay.ts';
import type { ConnectServer } from './server-connection.ts';
import { startLife, type ServerLife } from './server-life.ts';
import { describeServer, type ServerStage } from './server-status.ts';

export interface PooledServerOptions extends PinSurroundings {
  readonly info: Implementation;
  readonly connect: ConnectServer;
  /** Gives 0 to 1. */
  readonly random: () => number;
  /** Milliseconds the server has to answer a ping. */
  readonly graceMs: number;
  readonly evaluate: BoundedEvaluation;
  readonly onChange: (status: ServerStatus) => void;
}

/** What is to become of a server when no call is in flight on a life of it. */
interface Retirement {
  readonly life: ServerLife;
  readonly next: 'start' | 'rest';
  readonly reason: string;
}

/** A server that was ready for so long is no quick failure when it ends. */
const STABLE_MS = 60_000;
/** How long a server may take to show that it can still be reached. */
const REACHED_MS = 10_000;

/** One configured server: connected, and connected again whenever that failed or ended, until it is closed or drained. */
export class PooledServer {
  readonly config: ServerConfig;
  /** Admits calls; outlives the server's processes. */
  readonly gate = new CallGate();
  /** Keeps calls from a server that does not answer; outlives the server's processes. */
  readonly breaker: CallBreaker;
  /** Replaces the server's secrets in a text. */
  readonly mask: (text: string) => string;
  readonly #options: PooledServerOptions;
  #stage: ServerStage;
  #roots: readonly string[];
  #life: ServerLife | undefined;
  #catalogue = EMPTY_CATALOGUE;
  #start = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  /** The end of the life before: nothing is started while something of it is left. */
  #ending: Promise<void> = Promise.resolve();
  #cancelRestart: () => void = () => undefined;
  #retirement: Retirement | undefined;
  #doubted: ServerLife | undefined;
  #failures = 0;
  #lastStderr: string | undefined;
  #toldWarnings: readonly string[] = [];

  constructor(config: ServerConfig, options: PooledServerOptions) {
    this.config = config;
    this.#options = options;
    this.#roots = config.roots;
    this.mask = secretMask(config);
    this.breaker = new CallBreaker({ clock: options.clock, random: options.random, onChange: (status) => this.#onBreaker(status) });
    this.#stage = { state: 'connecting', since: options.clock.now(), restarts: 0, error: undefined };
  }

  /** Milliseconds it has to answer a ping, and to end when it is to. */
  get graceMs(): number {
    return this.#options.graceMs;
  }

  get status(): ServerStatus {
    return describeServer({ config: this.config, stage: this.#stage, life: this.#life, breaker: this.breaker.status, roots: this.#roots, mask: this.mask });
  }

  /** Where it is in its lives; `status` tells more, and takes longer. */
  get stage(): ServerStage {
    return this.#stage;
  }

  /** Defined while the server is connected. */
  get life(): ServerLife | undefined {
    return this.#life;
  }

  /** What the server offers, or offered when it was last connected, quarantined tools included. */
  get catalogue(): Catalogue {
    return this.#life?.tools.current ?? this.#catalogue;
  }

  /** Begins to connect and returns at once; an attempt that is under way is given up. */
  start(): void {
    this.#start.abort();
    this.#start = new AbortController();
    this.#starting = this.#begin(this.#start.signal, Promise.all([this.#ending, this.#starting]));
  }

  /** Starts the server afresh as soon as no call is in flight on this life; nothing when that is over. */
  retire(life: ServerLife, reason: string): void {
    this.#retireWhenIdle({ life, next: 'start', reason });
  }

  /** Ends this life now, unless it is over, and starts the server afresh. Resolves when it has ended. */
  async replace(life: ServerLife, reason: string): Promise<void> {
    if (this.#life === life) {
      this.#options.logger.warn(`the server is started afresh: ${reason}`, { server: this.config.name });
      this.#leave(life);
      this.#enterStage('connecting', { restarts: this.#stage.restarts + 1 });
      this.start();
    }
    await life.connection.exited;
  }

  /** A call over this connection was lost, and the connection knows of no end: looks whether the server can be reached. */
  doubt(life: ServerLife): void {
    if (this.#doubted === life || this.#life !== life) return;
    this.#doubted = life;
    const settle = (error?: unknown): void => {
      this.#doubted = undefined;
      if (isUnreachable(error)) this.#onEnded(life, error);
    };
    life.connection.client.ping({ timeoutMs: REACHED_MS, maxTotalMs: REACHED_MS }).then(() => settle(), settle);
  }

  /** Connects anew: `graceful`, when no call is in flight any more and without new ones until then; `now` loses the calls in flight. */
  reconnect(mode: 'graceful' | 'now'): void {
    if (this.#stage.state === 'closed') return;
    this.breaker.reset();
    this.#failures = 0;
    if (this.#life === undefined) this.#startAgain(mode);
    else if (mode === 'now') void this.replace(this.#life, 'this was asked for');
    else this.#drainTo({ life: this.#life, next: 'start', reason: 'this was asked for' });
  }

  /** Takes no new calls, and ends the server when none is in flight any more (`graceful`), or `now`. It then rests until `reconnect`. */
  drain(mode: 'graceful' | 'now'): void {
    if (this.#stage.state === 'closed') return;
    if (this.#life === undefined) this.#rest();
    else if (mode === 'now') this.#restFrom(this.#life);
    else this.#drainTo({ life: this.#life, next: 'rest', reason: 'it is drained' });
  }

  /** Changes its roots until the service ends. A server that was not told that there can be roots is started afresh when no call is in flight. */
  async setRoots(roots: readonly string[]): Promise<void> {
    this.#roots = roots;
    this.#changed();
    const life = this.#life;
    if (life === undefined) return;
    if (life.router.handlers.listRoots === undefined) {
      if (roots.length > 0) this.retire(life, 'it has roots now');
      return;
    }
    // A connection that has ended needs no word: the next one begins with these roots.
    await life.connection.client.rootsChanged().catch((error: unknown) => this.#debug(`the change of roots could not be told: ${error instanceof Error ? error.message : String(error)}`));
  }

  /** Ends the process, the attempt to start it or the wait for the next one. */
  async close(): Promise<void> {
    const life = this.#life;
    if (life !== undefined) this.#leave(life);
    this.#rest('closed');
    await Promise.all([this.#starting, this.#ending]);
  }

  async #begin(signal: AbortSignal, before: Promise<unknown>): Promise<void> {
    await before;
    if (this.#isGivenUp(signal)) return;
    this.#lastStderr = undefined;
    try {
      const life = await startLife(this.config, {
        ...this.#options,
        signal,
        roots: () => this.#roots,
        onStderr: (line) => this.#onStderr(line),
        onLog: (line) => this.#debug(line),
        onCatalogue: () => this.#onCatalogue(),
        onConflict: () => this.#onConflict(),
        onIdle: () => this.#onIdle(),
      });
      if (this.#isGivenUp(signal)) await life.connection.close();
      else this.#enter(life);
    } catch (error) {
      if (!this.#isGivenUp(signal)) this.#fail(error);
    }
  }

  #isGivenUp(start: AbortSignal): boolean {
    return start.aborted;
  }

  #enter(life: ServerLife): void {
    this.#life = life;
    this.#enterStage('ready');
    this.#tellWarnings();
    void life.ended.then((error) => this.#onEnded(life, error));
  }

  /** What the life started may take a while to end. */
  #leave(life: ServerLife): void {
    this.#catalogue = life.tools.current;
    this.#life = undefined;
    this.#retirement = undefined;
    this.#ending = life.connection.close();
  }

  #onEnded(life: ServerLife, error: Error): void {
    if (this.#life !== life) return;
    const isToRest = this.#retirement?.next === 'rest';
    this.#leave(life);
    if (isToRest) return this.#rest();
    if (this.#options.clock.now() - this.#stage.since >= STABLE_MS) this.#failures = 0;
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#failures += 1;
    const delayMs = restartDelayMs(this.#failures, this.#options.random);
    const description = this.mask(describeFailure(this.config, error, this.#lastStderr));
    this.#options.logger.debug('the server is started again after a while', { server: this.config.name, restart_in_ms: delayMs });
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

  #drainTo(retirement: Retirement): void {
    this.#enterStage('draining');
    this.#retireWhenIdle(retirement);
  }

  #retireWhenIdle(retirement: Retirement): void {
    this.#retirement = retirement;
    this.#onIdle();
  }

  #onIdle(): void {
    const retirement = this.#retirement;
    if (retirement === undefined || retirement.life.router.hasCalls) return;
    if (retirement.next === 'rest') this.#restFrom(retirement.life);
    else void this.replace(retirement.life, retirement.reason);
  }

  #restFrom(life: ServerLife): void {
    if (this.#life !== life) return;
    this.#leave(life);
    this.#rest();
  }

  #rest(state: 'drained' | 'closed' = 'drained'): void {
    this.#cancelRestart();
    this.#start.abort();
    this.#enterStage(state);
  }

  #onCatalogue(): void {
    if (this.#life === undefined) return;
    this.#changed();
    this.#tellWarnings();
  }

  #onConflict(): void {
    this.#options.logger.info('the server asks questions that name no call: from here on it is called by one run at a time', { server: this.config.name });
    this.gate.makeExclusive();
    if (this.#life?.router.hasGivenUpCalls === true) this.retire(this.#life, 'it may still be at work on calls that were given up');
  }

  #onBreaker({ state, failures, opensAgainAt }: BreakerStatus): void {
    const { logger, clock } = this.#options;
    if (state === 'closed') logger.info('the server answers calls again', { server: this.config.name });
    else logger.warn('the server does not answer; calls are kept from it for a while', { server: this.config.name, failures, wait_ms: (opensAgainAt ?? 0) - clock.now() });
    this.#changed();
  }

  #onStderr(line: string): void {
    if (line.trim() !== '') this.#lastStderr = line.trim();
    this.#debug(line);
  }

  #debug(line: string): void {
    this.#options.logger.debug(this.mask(line), { server: this.config.name });
  }

  #tellWarnings(): void {
    const { warnings } = this.status;
    for (const warning of warnings) if (!this.#toldWarnings.includes(warning)) this.#options.logger.warn(warning, { server: this.config.name });
    this.#toldWarnings = warnings;
  }

  #enterStage(state: ServerStage['state'], { error, restarts = this.#stage.restarts }: Partial<ServerStage> = {}): void {
    this.#stage = { state, error, restarts, since: state === this.#stage.state ? this.#stage.since : this.#options.clock.now() };
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
