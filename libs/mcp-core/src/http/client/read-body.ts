import type { IncomingMessage } from 'node:http';
import { withoutByteOrderMark } from '../../jsonrpc/byte-order-mark.ts';
import { LinePieces } from '../../jsonrpc/line-pieces.ts';
import { BudgetShare } from '../../jsonrpc/message-budget.ts';
import { NO_ROOM, tooLong, type MessageLimits } from '../../jsonrpc/message-limits.ts';

/** A complete body as text, or the reason why it is missing. */
export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'broken'; readonly error: Error };

/**
 * Reads a response up to `maxBytes`, within the budget; closes the connection of a longer one.
 * `done` is called once.
 */
export function readBody(
  response: IncomingMessage,
  limits: Pick<MessageLimits, 'maxBytes' | 'budget'>,
  done: (body: Body) => void,
): void {
  const { maxBytes } = limits;
  const share = new BudgetShare(limits.budget);
  // Most bodies arrive in one piece.
  let first: Buffer | undefined;
  const pieces = new LinePieces();
  let length = 0;
  let isDone = false;
  const finish = (body: Body): void => {
    if (isDone) return;
    isDone = true;
    share.release();
    done(body);
  };
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    finish({ kind: 'refused', problem: tooLong(limits) });
    response.on('error', () => undefined);
    response.destroy();
    return;
  }
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (isDone) return;
    const refusal =
      length > maxBytes ? tooLong(limits) : share.grow(chunk.length) ? undefined : NO_ROOM;
    if (refusal !== undefined) {
      finish({ kind: 'refused', problem: refusal });
      response.destroy();
    } else if (length === chunk.length) {
      first = chunk;
    } else {
      if (first !== undefined) pieces.add(first);
      first = undefined;
      pieces.add(chunk);
    }
  });
  response.on('end', () => {
    finish({ kind: 'text', text: withoutByteOrderMark((first ?? pieces.take()).toString()) });
  });
  response.on('error', (error) => {
    finish({ kind: 'broken', error });
  });
  response.on('close', () => {
    share.release();
  });
}
