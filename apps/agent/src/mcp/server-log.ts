import type { Logger } from '../ports/logger.ts';
import type { BreakerStatus } from '../ports/tool-catalogue.ts';

/** Log of one server. Adds the server's name to each entry and masks its secrets. */
export class ServerLog {
  readonly #logger: Logger;
  readonly #server: string;
  readonly #mask: (text: string) => string;
  #warned: readonly string[] = [];

  constructor(logger: Logger, server: string, mask: (text: string) => string) {
    this.#logger = logger;
    this.#server = server;
    this.#mask = mask;
  }

  debug(line: string): void {
    this.#logger.debug(this.#mask(line), { server: this.#server });
  }

  info(message: string, fields: { readonly [name: string]: unknown } = {}): void {
    this.#logger.info(message, { server: this.#server, ...fields });
  }

  warn(message: string, fields: { readonly [name: string]: unknown } = {}): void {
    this.#logger.warn(message, { server: this.#server, ...fields });
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
}
