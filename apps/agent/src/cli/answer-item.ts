import type { JsonObject } from '@signalbox/mcp-core';
import { terminalLine } from '../terminal-text.ts';
import { askPerson, type Asked } from './ask-person.ts';
import type { Io } from './io.ts';

export interface Answering {
  /** Gives the answer to the service; rejects with an error that has the `code` of the problem. */
  readonly respond: (response: JsonObject) => Promise<unknown>;
  /** Ends the questions. */
  readonly signal: AbortSignal;
}

/** Asks a person about one item until the answer is taken or the item needs none any more; returns whether it was taken. */
export async function answerItem(
  io: Io,
  item: Asked,
  { respond, signal }: Answering,
): Promise<boolean> {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      const response = await askPerson(io, item, signal);
      if (response === undefined || isOver()) return false;
      await respond(response);
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      io.err(`  the answer was not taken: ${terminalLine(error.message)}\n`);
      if (
        !('code' in error) ||
        (error.code !== 'invalid_response' && error.code !== 'invalid_request')
      )
        return false;
    }
  }
  return false;
}
