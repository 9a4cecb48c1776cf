import type { RateGate, RateSlot } from '../ports/rate-gate.ts';

/**
 * Slot of one model call at the gate, acquired for each attempt. A failed attempt keeps its slot
 * until the gate knows the retry delay.
 */
export class GateSlot {
  readonly #gate: RateGate;
  readonly #patienceMs: number | undefined;
  #slot: RateSlot | undefined;

  constructor(gate: RateGate, patienceMs?: number) {
    this.#gate = gate;
    this.#patienceMs = patienceMs;
  }

  /** Acquires the slot. @throws LlmError as `RateGate.enter` */
  async enter(signal: AbortSignal): Promise<void> {
    this.#slot = await this.#gate.enter({ signal, patienceMs: this.#patienceMs });
  }

  /** Releases the slot, if it is held. */
  leave(): void {
    void this.#slot?.release();
    this.#slot = undefined;
  }
}
