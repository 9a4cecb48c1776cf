import { createHash } from 'node:crypto';

export interface CallPlace {
  readonly scenario: string;
  readonly turn: number;
  readonly emit: number;
  /**
   * Number of assistant messages before the call's message. Distinguishes repeated scenarios in a
   * conversation.
   */
  readonly ordinal: number;
}

/**
 * Returns the id of a scripted call. Equal positions have equal ids, so that a history shows which
 * turns were played.
 */
export function callId({ scenario, turn, emit, ordinal }: CallPlace): string {
  return `call_${createHash('sha256')
    .update(JSON.stringify([scenario, turn, emit, ordinal]))
    .digest('hex')
    .slice(0, 20)}`;
}
