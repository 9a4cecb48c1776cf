import type { InputRoundKeeper } from '@signalbox/mcp-core/client';

interface RoundListeners {
  readonly keeper: InputRoundKeeper | undefined;
  /** Called for each round of input requests. */
  readonly onAsked: () => void;
}

/** Tracks whether a call waits for input responses, and forwards each round to its keeper. */
export class ParkedState implements InputRoundKeeper {
  readonly #listeners: RoundListeners;
  isParked: boolean;

  constructor(listeners: RoundListeners, isParked: boolean) {
    this.#listeners = listeners;
    this.isParked = isParked;
  }

  async asked(asked: Parameters<InputRoundKeeper['asked']>[0]): Promise<void> {
    this.isParked = true;
    this.#listeners.onAsked();
    await this.#listeners.keeper?.asked(asked);
  }

  async answered(): Promise<void> {
    await this.#listeners.keeper?.answered();
    this.isParked = false;
  }
}
