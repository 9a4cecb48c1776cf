import type { InputRoundStore } from '@signalbox/mcp-core/client';

interface RoundListeners {
  readonly rounds: InputRoundStore | undefined;
  /** Called for each round of input requests. */
  readonly onAsked: () => void;
}

/** Tracks whether a call waits for input responses, and forwards each round to its store. */
export class ParkedState implements InputRoundStore {
  readonly #listeners: RoundListeners;
  isParked: boolean;

  constructor(listeners: RoundListeners, isParked: boolean) {
    this.#listeners = listeners;
    this.isParked = isParked;
  }

  async save(round: Parameters<InputRoundStore['save']>[0]): Promise<void> {
    this.isParked = true;
    this.#listeners.onAsked();
    await this.#listeners.rounds?.save(round);
  }

  async discard(): Promise<void> {
    await this.#listeners.rounds?.discard();
    this.isParked = false;
  }
}
