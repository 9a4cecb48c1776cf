import type { JsonObject } from '@signalbox/mcp-core';
import type { Logger } from '../../ports/logger.ts';
import { messageOf } from '../../text/error-text.ts';

/** Maximum number of different errors that a log compares a new one with. */
const MAX_ERRORS = 100;

/**
 * Logs the failures of work that is repeated, such as a step of a sweep: each different error once,
 * and the end of the failures with their number.
 */
export class FailureLog {
  readonly #logger: Logger;
  readonly #message: string;
  readonly #fields: JsonObject;
  readonly #errors = new Set<string>();
  #times = 0;

  /** `message` describes the failure; `fields` name the subject of the work, such as a run. */
  constructor(logger: Logger, message: string, fields: JsonObject = {}) {
    this.#logger = logger;
    this.#message = message;
    this.#fields = fields;
  }

  /** Logs the error, unless the work has failed with the same error since it last succeeded. */
  failed(error: unknown): void {
    this.#times += 1;
    const text = messageOf(error);
    if (this.#errors.has(text)) return;
    if (this.#errors.size >= MAX_ERRORS) this.#errors.clear();
    this.#errors.add(text);
    this.#logger.error(this.#message, { ...this.#fields, error });
  }

  /** Logs the end of the failures, if the work failed before. */
  succeeded(): void {
    if (this.#times === 0) return;
    this.#logger.info('a repeated error has ended', {
      ...this.#fields,
      failure: this.#message,
      times: this.#times,
    });
    this.#times = 0;
    this.#errors.clear();
  }
}

/** Logs the failures of work that is repeated in rounds on each of several subjects, such as runs. */
export class SubjectFailures {
  readonly #create: (id: string) => FailureLog;
  readonly #failing = new Map<string, FailureLog>();
  readonly #failedNow = new Set<string>();

  /** `field` is the name of the log's field for the id of a subject. */
  constructor(logger: Logger, message: string, field: string) {
    this.#create = (id) => new FailureLog(logger, message, { [field]: id });
  }

  /** Logs the error as `FailureLog` does. */
  failed(id: string, error: unknown): void {
    const log = this.#failing.get(id) ?? this.#create(id);
    this.#failing.set(id, log);
    this.#failedNow.add(id);
    log.failed(error);
  }

  /** Ends a round of work. The failures of subjects that did not fail in it have ended. */
  endRound(): void {
    for (const [id, log] of this.#failing) {
      if (this.#failedNow.has(id)) continue;
      log.succeeded();
      this.#failing.delete(id);
    }
    this.#failedNow.clear();
  }
}
