import { expect, test } from 'vitest';
import { mediaTypeOf } from './media-type.ts';

test.each([
  ['photo.png', 'image/png', 'image/png'],
  ['notes.md', '', 'text/plain'],
  // Browsers take the sources of TypeScript for a video.
  ['main.ts', 'video/mp2t', 'text/plain'],
  ['data.csv', 'text/csv', 'text/csv'],
  ['unknown.bin', '', 'application/octet-stream'],
])('%s of type "%s" is stored as %s', (name, type, expected) => {
  expect(mediaTypeOf({ name, type })).toBe(expected);
});
