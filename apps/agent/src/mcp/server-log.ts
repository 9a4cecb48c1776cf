import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { ServerLogLine } from '../ports/server-directory.ts';
import type { BreakerStatus } from '../ports/tool-catalogue.ts';

/** Lines that are kept. */
const MAX_LINES = 200;
/** Characters of a line that are kept. */
const MAX_CHARACTERS = 2000;

export interface ServerLogOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Replaces the secrets of the server in a text. */
  readonly mask: (text: string) => string;
}

/** Log of one server. Adds the server's name to each entry, masks its secrets, and keeps the last 200 lines. */
export class ServerLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #server: string;
  readonly #mask: (text: string) => string;
  readonly #lines: ServerLogLine[] = [];
  #warned: readonly string[] = [];

  constructor(server: string, { logger, clock, mask }: ServerLogOptions) {
    this.#logger = logger;
    this.#clock = clock;
    this.#server = server;
    this.#mask = mask;
  }

  /** The last lines, oldest first. */
  get lines(): readonly ServerLogLine[] {
    return this.#lines;
  }

  debug(line: string): void {
    this.#logger.debug(this.#keep('debug', line), { server: this.#server });
  }

  info(message: string, fields: { readonly [name: string]: unknown } = {}): void {
    this.#logger.info(message, { server: this.#server, ...fields });
    this.#keep('info', message);
  }

  warn(message: string, fields: { readonly [name: string]: unknown } = {}): void {
    this.#logger.warn(message, { server: this.#server, ...fields });
    this.#keep('warn', message);
  }

  /** Keeps the reason why the server failed, which its status reports to the log of the service, and writes when it is restarted. */
  failed(reason: string, delayMs: number): void {
    this.#keep('warn', reason);
    this.debug(`the server is restarted in ${delayMs} ms`);
  }

  /** Writes the warnings that were not among the previous ones. */
  warnings(warnings: readonly string[]): void {
    for (const warning of warnings) if (!this.#warned.includes(warning)) this.warn(warning);
    this.#warned = warnings;
  }

  /** Writes a change of the circuit breaker. */
  breaker({ state, failures, opensAgainAt = 0 }: BreakerStatus, now: number): void {
    if (state === 'closed') this.info('the server answers calls again');
    else
      this.warn('the server does not answer; calls to it are blocked for a while', {
        failures,
        wait_ms: opensAgainAt - now,
      });
  }

  /** Keeps a line and returns it without the secrets of the server. */
  #keep(level: ServerLogLine['level'], line: string): string {
    const text = this.#mask(line);
    if (text.trim() === '') return text;
    this.#lines.push({ at: this.#clock.now(), level, text: text.slice(0, MAX_CHARACTERS) });
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    return text;
  }
}
