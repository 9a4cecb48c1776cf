import { InvalidCursorError } from '../ports/run-store.ts';

/** Where a page, newest first, ended. */
export interface Position {
  readonly createdAt: number;
  readonly id: string;
}

export function encodeCursor({ createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
}

/** @throws InvalidCursorError */
export function decodeCursor(cursor: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, createdAt, id] = /^\[(\d{1,16}),"([\w-]{1,64})"\]$/.exec(text) ?? [];
  if (createdAt === undefined || id === undefined) throw new InvalidCursorError();
  return { createdAt: Number(createdAt), id };
}
