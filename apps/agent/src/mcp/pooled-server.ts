import type { Implementation } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import type { Clock } from '../ports/test-hooks.ts';
import type { ServerStatus } from '../ports/tool-registry.ts';
import type { BoundedEvaluation } from './bounded-evaluation.ts';
import { CallGate } from './call-gate.ts';
import { EMPTY_CATALOGUE, type Catalogue } from './catalogue.ts';
import { describeFailure } from './describe-failure.ts';
import { secretMask } from './mask-secrets.ts';
import { restartDelayMs } from './restart-delay.ts';
import type { ConnectServer } from './server-connection.ts';
import { startLife, type ServerLife } from './server-life.ts';

export interface PooledServerOptions {
  readonly info: Implementation;
  readonly connect: ConnectServer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Gives 0 to 1. */
  readonly random: () => number;
  /** Milliseconds the server has to answer a ping. */
  readonly graceMs: number;
  readonly evaluate: BoundedEvaluation;
  readonly onChange: (status: ServerStatus) => void;
}

/** A server that was ready for so long is no quick failure when it ends. */
const STABLE_MS = 60_000;

/** One configured server: started, and started again whenever it failed or ended, until it is closed. */
export class PooledServer {
  readonly config: ServerConfig;
  /** Admits calls; outlives the server's processes. */
  readonly gate = new CallGate();
  /** Replaces the server's secrets in a text. */
  readonly mask: (text: string) => string;
  readonly #options: PooledServerOptions;
  #status: ServerStatus;
  #life: ServerLife | undefined;
  #catalogue = EMPTY_CATALOGUE;
  #start = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  /** The end of the life before: nothing is started while something of it is left. */
  #ending: Promise<void> = Promise.resolve();
  #cancelRestart: () => void = () => undefined;
  #retired: { readonly life: ServerLife; readonly reason: string } | undefined;
  #failures = 0;
  #lastStderr: string | undefined;

  constructor(config: ServerConfig, options: PooledServerOptions) {
    this.config = config;
    this.#options = options;
    this.mask = secretMask(config);
    this.#status = { name: config.name, state: 'connecting', toolCount: 0, warnings: [], since: options.clock.now(), restarts: 0 };
  }

  /** Milliseconds it has to answer a ping, and to end when it is to. */
  get graceMs(): number {
    return this.#options.graceMs;
  }

  get status(): ServerStatus {
    return this.#status;
  }

  /** Defined while the server is ready. */
  get life(): ServerLife | undefined {
    return this.#life;
  }

  /** What the server offers, or offered when it was last ready. */
  get catalogue(): Catalogue {
    return this.#life?.catalogue ?? this.#catalogue;
  }

  /** Begins to connect and returns at once. */
  start(): void {
    this.#starting = this.#begin();
  }

  /** Starts the server afresh as soon as no call is in flight on this life; nothing when that is over. */
  retire(life: ServerLife, reason: string): void {
    this.#retired = { life, reason };
    this.#replaceRetired();
  }

  /** Ends this life now, unless it is over, and starts the server afresh. Resolves when the process has ended. */
  async replace(life: ServerLife, reason: string): Promise<void> {
    if (this.#life === life) {
      this.#options.logger.warn(`the server is started afresh: ${reason}`, { server: this.config.name });
      this.#leave(life);
      this.#setStatus('connecting', { restarts: this.#status.restarts + 1 });
      this.#ending = life.connection.close();
      this.start();
    }
    await life.connection.exited;
  }

  /** Ends the process, the attempt to start it or the wait for the next one. */
  async close(): Promise<void> {
    const life = this.#life;
    if (life !== undefined) {
      this.#leave(life);
      this.#ending = life.connection.close();
    }
    this.#setStatus('closed');
    this.#cancelRestart();
    this.#start.abort();
    await Promise.all([this.#starting, this.#ending]);
  }

  async #begin(): Promise<void> {
    await this.#ending;
    if (this.#status.state === 'closed') return;
    const start = new AbortController();
    this.#start = start;
    this.#lastStderr = undefined;
    try {
      const life = await startLife(this.config, {
        info: this.#options.info,
        connect: this.#options.connect,
        clock: this.#options.clock,
        evaluate: this.#options.evaluate,
        signal: start.signal,
        onStderr: (line) => this.#onStderr(line),
        onLog: (line) => this.#debug(line),
        onCatalogue: () => this.#onCatalogue(),
        onConflict: () => this.#onConflict(),
        onIdle: () => this.#replaceRetired(),
      });
      if (start.signal.aborted) await life.connection.close();
      else this.#enter(life);
    } catch (error) {
      if (!start.signal.aborted) this.#fail(error);
    }
  }

  #enter(life: ServerLife): void {
    this.#life = life;
    this.#setStatus('ready');
    for (const warning of this.#status.warnings) this.#options.logger.warn(warning, { server: this.config.name });
    void life.ended.then((error) => this.#onEnded(life, error));
  }

  #leave(life: ServerLife): void {
    this.#catalogue = life.catalogue;
    this.#life = undefined;
  }

  #onEnded(life: ServerLife, error: Error): void {
    if (this.#life !== life) return;
    this.#leave(life);
    if (this.#options.clock.now() - this.#status.since >= STABLE_MS) this.#failures = 0;
    // What the ended process started may still be there.
    this.#ending = life.connection.close();
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#failures += 1;
    const delayMs = restartDelayMs(this.#failures, this.#options.random);
    const description = this.mask(describeFailure(this.config, error, this.#lastStderr));
    this.#options.logger.debug('the server is started again after a while', { server: this.config.name, restart_in_ms: delayMs });
    this.#setStatus('failed', { error: description });
    this.#cancelRestart = this.#options.clock.after(delayMs, () => {
      this.#setStatus('connecting', { error: description, restarts: this.#status.restarts + 1 });
      this.start();
    });
  }

  #onCatalogue(): void {
    if (this.#life !== undefined) this.#setStatus('ready');
  }

  #onConflict(): void {
    this.#options.logger.info('the server asks questions that name no call: from here on it is called by one run at a time', { server: this.config.name });
    this.gate.makeExclusive();
    if (this.#life?.router.hasGivenUpCalls === true) this.retire(this.#life, 'it may still be at work on calls that were given up');
  }

  #replaceRetired(): void {
    const retired = this.#retired;
    if (retired === undefined || retired.life.router.hasCalls) return;
    this.#retired = undefined;
    void this.replace(retired.life, retired.reason);
  }

  #onStderr(line: string): void {
    if (line.trim() !== '') this.#lastStderr = line.trim();
    this.#debug(line);
  }

  #debug(line: string): void {
    this.#options.logger.debug(this.mask(line), { server: this.config.name });
  }

  #setStatus(state: ServerStatus['state'], details: Partial<ServerStatus> = {}): void {
    const { name, restarts, since, state: before } = this.#status;
    this.#status = {
      name,
      state,
      toolCount: 0,
      warnings: [],
      since: state === before ? since : this.#options.clock.now(),
      restarts,
      ...(this.#life === undefined ? {} : { ...describeLife(this.#life), warnings: this.#life.catalogue.warnings.map(this.mask) }),
      ...details,
    };
    this.#options.onChange(this.#status);
  }
}

function describeLife({ connection, catalogue }: ServerLife): Partial<ServerStatus> {
  const { info, instructions, era, protocolVersion } = connection.client.server;
  return {
    era,
    protocolVersion,
    toolCount: catalogue.entries.size,
    ...(info === undefined ? {} : { serverInfo: { name: info.name, version: info.version } }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(connection.pid === undefined ? {} : { pid: connection.pid }),
  };
}
