import type { Logger } from '../ports/logger.ts';

/** Writes what is known of one server into the service's log, with the server's name and without its secrets. */
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

  /** Writes those of the server's warnings that were not among them before. */
  warnings(warnings: readonly string[]): void {
    for (const warning of warnings) if (!this.#warned.includes(warning)) this.warn(warning);
    this.#warned = warnings;
  }
}
