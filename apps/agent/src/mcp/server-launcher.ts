import type { ServerConfig } from '../config/config.ts';
import { describeFailure } from './describe-failure.ts';
import { startLife, type ServerLife, type ServerLifeOptions } from './server-life.ts';

/** Receives the outcome of a start, unless the start was abandoned. */
export interface LaunchOutcome {
  readonly onOpened: (life: ServerLife) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Lines of a server's stderr that are kept to explain a failure. */
const MAX_STDERR_LINES = 50;

/**
 * Starts and ends the connections of one server. A start waits until earlier connections and their
 * processes have ended.
 */
export class ServerLauncher {
  readonly #config: ServerConfig;
  readonly #options: Omit<ServerLifeOptions, 'signal'>;
  #attempt = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  /** Resolves when every ended connection is closed. */
  #ending: Promise<void> = Promise.resolve();
  /** Last lines of stderr since the latest start. */
  #stderr: readonly string[] = [];

  constructor(config: ServerConfig, options: Omit<ServerLifeOptions, 'signal'>) {
    this.#config = config;
    this.#options = options;
  }

  /** Begins a start and returns at once. Abandons the start in progress. */
  start(outcome: LaunchOutcome): void {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    const { signal } = this.#attempt;
    this.#starting = this.#startAfter(Promise.all([this.#ending, this.#starting]), signal, outcome);
  }

  /** Opens a further connection of the started server. */
  openAnother(outcome: LaunchOutcome): void {
    void this.#open(this.#attempt.signal, outcome);
  }

  /** Abandons the start in progress and the opening of further connections. */
  abandon(): void {
    this.#attempt.abort();
  }

  /** Closes the connection. Child processes of the server may end later. */
  end(life: ServerLife): void {
    this.#ending = Promise.all([this.#ending, life.connection.close()]).then(() => undefined);
  }

  /** Describes the failure of a start or a connection, with the last lines of stderr. */
  describe(error: unknown): string {
    return describeFailure(this.#config, error, this.#stderr);
  }

  /** Resolves when no start is in progress and every ended connection is closed. */
  async settled(): Promise<void> {
    await Promise.all([this.#starting, this.#ending]);
  }

  async #startAfter(
    earlier: Promise<unknown>,
    signal: AbortSignal,
    outcome: LaunchOutcome,
  ): Promise<void> {
    await earlier;
    if (isAbandoned(signal)) return;
    this.#stderr = [];
    await this.#open(signal, outcome);
  }

  async #open(signal: AbortSignal, { onOpened, onFailed }: LaunchOutcome): Promise<void> {
    try {
      const life = await this.#connect(signal);
      if (!isAbandoned(signal)) return onOpened(life);
      this.end(life);
      await this.#ending;
    } catch (error) {
      if (!isAbandoned(signal)) onFailed(error);
    }
  }

  #connect(signal: AbortSignal): Promise<ServerLife> {
    return startLife(this.#config, {
      ...this.#options,
      signal,
      onStderr: (line) => {
        this.#stderr = [...this.#stderr.slice(1 - MAX_STDERR_LINES), line];
        this.#options.onStderr(line);
      },
    });
  }
}

function isAbandoned(start: AbortSignal): boolean {
  return start.aborted;
}
