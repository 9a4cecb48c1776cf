import type { JsonObject } from '@signalbox/mcp-core';
import { terminalLine } from '../text/terminal-text.ts';
import { askPerson } from './ask-person.ts';
import type { Io } from './io.ts';
import type { Asked } from './question-of.ts';

export interface Answering {
  /** Sends the answer to the service; rejects with an error that has the `code` of the problem. */
  readonly respond: (response: JsonObject) => Promise<unknown>;
  /** Cancels the open question. */
  readonly signal: AbortSignal;
}

/** Asks a person about an item until the service accepts an answer or the item is closed. Returns whether an answer was accepted. */
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
      io.err(`  the answer was rejected: ${terminalLine(error.message)}\n`);
      if (
        !('code' in error) ||
        (error.code !== 'invalid_response' && error.code !== 'invalid_request')
      )
        return false;
    }
  }
  return false;
}
