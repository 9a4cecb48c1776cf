import type { LineError } from './import-record.ts';

/** Maximum number of reported lines. */
export const MAX_LINE_ERRORS = 20;
const MAX_MESSAGE_CHARACTERS = 300;

/** The first problems of an import. */
export class LineErrors {
  readonly #errors: LineError[] = [];

  get list(): readonly LineError[] {
    return this.#errors;
  }

  /** Whether no further problem is reported, so that reading on is of no use. */
  get isFull(): boolean {
    return this.#errors.length >= MAX_LINE_ERRORS;
  }

  add({ line, message }: LineError): void {
    if (!this.isFull)
      this.#errors.push({ line, message: message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed() });
  }
}
