import { messageLimits, textCostProblem, type MessageLimits } from './message-limits.ts';
import { idOfRefused } from './refused-message.ts';
import type { MessageOrigin, TransportReceiver, UnreadableMessage } from './transport.ts';

/** Options of `receiveText`. */
export interface ReceiveTextOptions {
  /**
   * Longest accepted text in bytes. Default: 4 MiB. Each value in a message counts as at least 16
   * bytes; at most 100 levels of nesting are accepted.
   */
  readonly maxMessageBytes?: number | undefined;
  readonly origin?: MessageOrigin | undefined;
}

/**
 * Parses the text of a message for a transport and passes it to the receiver. Reports text that is
 * not JSON or exceeds a limit as unreadable, with the id of its request, if it has one. Never
 * throws, except what the receiver throws.
 */
export function receiveText(
  receiver: TransportReceiver,
  text: string,
  { maxMessageBytes, origin }: ReceiveTextOptions = {},
): void {
  const read = readText(text, messageLimits(maxMessageBytes), 'a message');
  if ('problem' in read) receiver.unreadable(read.problem);
  else receiver.message(read.value, origin);
}

/** Parses a text within the limits. `subject` names it in the detail of a problem ("an event"). */
export function readText(
  text: string,
  limits: MessageLimits,
  subject: string,
): { readonly value: unknown } | { readonly problem: UnreadableMessage } {
  const problem = textCostProblem(text, limits);
  if (problem !== undefined)
    return {
      problem: {
        reason: 'too-large',
        detail: `${subject} ${problem}`,
        ...idOfRefused(Buffer.from(text)),
      },
    };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const { message } = error as SyntaxError;
    return {
      problem: {
        reason: 'parse-error',
        detail: `${subject} is not JSON: ${message.slice(0, 200)}`,
      },
    };
  }
}
