import type * as z from 'zod';
import { InvalidCursorError } from '../ports/store/errors.ts';
import type { RunMessage } from '../ports/store/message.ts';
import type { Message, MessageList } from './message-response-schemas.ts';

/**
 * Returns a page of messages of which one more than `limit` were read. `cursorOf` names the place of
 * the last message.
 */
export function messagePage<T extends RunMessage>(
  messages: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): z.output<typeof MessageList> {
  const data = messages.slice(0, limit);
  const last = data.at(-1);
  return {
    data: data.map(messageView),
    ...(messages.length > limit && last !== undefined ? { next_cursor: cursorOf(last) } : {}),
  };
}

/** Returns the numbers of a cursor, divided by points. @throws InvalidCursorError */
export function numbersIn(cursor: string, count: number): readonly number[] {
  const parts = cursor.split('.');
  if (parts.length !== count || !parts.every((part) => /^\d{1,15}$/.test(part)))
    throw new InvalidCursorError();
  return parts.map(Number);
}

function messageView({ id, runId, turn, role, content }: RunMessage): z.output<typeof Message> {
  const createdAt = timeOfId(id);
  return {
    id,
    run_id: runId,
    turn,
    role,
    ...(createdAt === undefined ? {} : { created_at: new Date(createdAt).toISOString() }),
    content: content.map((block) => ({ ...block })),
  };
}

/**
 * Returns the creation time in a UUID of version 7 in milliseconds, otherwise undefined.
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.7
 */
function timeOfId(id: string): number | undefined {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === '' ? undefined : Number.parseInt(`${high}${low}`, 16);
}
