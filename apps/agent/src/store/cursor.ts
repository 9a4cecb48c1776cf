import { InvalidCursorError } from '../ports/store/errors.ts';

/** Position of a row in a list: its numeric sort key, then its text key. */
export type Place = readonly [number, string];

export function encodeCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Parses a cursor. @throws InvalidCursorError */
export function decodeCursor(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, first, second] = /^\[(\d{1,16}),"([\w-]{1,100})"\]$/.exec(text) ?? [];
  if (first === undefined || second === undefined) throw new InvalidCursorError();
  return [Number(first), second];
}
