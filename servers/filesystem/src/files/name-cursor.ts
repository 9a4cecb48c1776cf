import { PathError } from '@signalbox/file-sandbox';

/** Returns an opaque cursor that continues after `name`. */
export function encodeNameCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** @throws PathError `invalid` when the cursor was not made by `encodeNameCursor` */
export function decodeNameCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (name !== '' && encodeNameCursor(name) === cursor) return name;
  throw new PathError(
    'invalid',
    'This server did not issue the cursor. Omit it to start from the beginning.',
  );
}
