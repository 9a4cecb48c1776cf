import type { ExecutorChannel } from './executor-channel.ts';
import type { ExecutorMessage } from './messages.ts';

/** Reports that the server ended the chunks of an operation before their end. */
export class StreamAbortedError extends Error {
  constructor() {
    super('The server aborted the operation.');
    this.name = 'StreamAbortedError';
  }
}

export interface OperationStreamOptions {
  readonly id: number;
  readonly channel: ExecutorChannel;
  /** Called with `false` while the operation waits for the server, and with `true` afterwards. */
  readonly setBusy: (isBusy: boolean) => void;
}

/**
 * The chunks of one running operation, in its query process. At most one chunk is on its way in each
 * direction.
 */
export class OperationStream {
  readonly #options: OperationStreamOptions;

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
    this.#options.channel.send({ kind: 'committing', id: this.#options.id });
  }

  async #exchange(message: ExecutorMessage): Promise<string | undefined> {
    const { channel, setBusy } = this.#options;
    setBusy(false);
    channel.send(message);
    const answer = await channel.receive();
    setBusy(true);
    if (answer.kind === 'abort') throw new StreamAbortedError();
    return answer.kind === 'chunk' ? answer.chunk : undefined;
  }
}
