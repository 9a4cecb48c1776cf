import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Completion } from '../protocol/completion.ts';
import { LocalError } from '../protocol/errors.ts';

/** Reads a result of `completion/complete`. @throws LocalError `invalid-response` */
export function readCompletion({ completion }: JsonObject): Completion {
  if (
    !isJsonObject(completion) ||
    !Array.isArray(completion.values) ||
    !completion.values.every((value) => typeof value === 'string')
  ) {
    throw new LocalError(
      'invalid-response',
      "The server's result is unusable: completion/complete: values must be a list of strings",
      { sent: true },
    );
  }
  return completion as unknown as Completion;
}
