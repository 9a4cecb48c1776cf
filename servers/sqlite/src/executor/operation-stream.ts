import type { ExecutorMessage, ServerMessage } from './messages.ts';

/** Reports that the server ended the chunks of an operation before their end. */
export class StreamAbortedError extends Error {
  constructor() {
    super('The server aborted the operation.');
    this.name = 'StreamAbortedError';
  }
}

export interface OperationStreamOptions {
  readonly id: number;
  readonly send: (message: ExecutorMessage) => void;
  /** Called with `false` while the operation waits for the server, and with `true` afterwards. */
  readonly setBusy: (isBusy: boolean) => void;
}

type Waiting = PromiseWithResolvers<string | undefined>;

/**
 * The chunks of one running operation, in its query process. At most one chunk is on its way in each
 * direction.
 */
export class OperationStream {
  readonly #options: OperationStreamOptions;
  #waiting: Waiting | undefined;

  constructor(options: OperationStreamOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the next chunk of the server, or `undefined` after the last.
   * @throws StreamAbortedError
   */
  receive(): Promise<string | undefined> {
    return this.#exchange({ kind: 'pull', id: this.#options.id });
  }

  /** Sends a chunk; resolves when the server has consumed it. @throws StreamAbortedError */
  async send(chunk: string): Promise<void> {
    await this.#exchange({ kind: 'chunk', id: this.#options.id, chunk });
  }

  /** Announces the commit: if the process is killed after this, the changes may be applied. */
  committing(): void {
    this.#options.send({ kind: 'committing', id: this.#options.id });
  }

  /** Accepts a message of the server for this operation. */
  accept(message: Exclude<ServerMessage, { kind: 'request' | 'close' }>): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#options.setBusy(true);
    if (message.kind === 'abort') waiting?.reject(new StreamAbortedError());
    else waiting?.resolve(message.kind === 'chunk' ? message.chunk : undefined);
  }

  #exchange(message: ExecutorMessage): Promise<string | undefined> {
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting = waiting;
    this.#options.setBusy(false);
    this.#options.send(message);
    return waiting.promise;
  }
}
