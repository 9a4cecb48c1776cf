import { createHash } from 'node:crypto';

export interface CallPlace {
  readonly scenario: string;
  readonly turn: number;
  readonly emit: number;
  /** Assistant messages before the one with the call; keeps ids apart when a conversation plays a scenario twice. */
  readonly ordinal: number;
}

/** The id of a scripted call; the same place gives the same id, so a history tells which turns were played. */
export function callId({ scenario, turn, emit, ordinal }: CallPlace): string {
  return `call_${createHash('sha256')
    .update(JSON.stringify([scenario, turn, emit, ordinal]))
    .digest('hex')
    .slice(0, 20)}`;
}
