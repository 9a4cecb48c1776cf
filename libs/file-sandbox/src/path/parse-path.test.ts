import { expect, test } from 'vitest';
import { isInside } from './is-inside.ts';
import { parsePath } from './parse-path.ts';
import { PathError } from './path-error.ts';

test('resolves against the base directory on POSIX and keeps backslashes', () => {
  const posix = { windows: false };
  expect(parsePath('a/../b', '/base', posix)).toBe('/base/b');
  expect(parsePath('..\\x', '/base', posix)).toBe('/base/..\\x');
  expect(parsePath('C:\\x', '/base', posix)).toBe('/base/C:\\x');
  expect(parsePath('file:///base/a%20b', '/base', posix)).toBe('/base/a b');
  expect(parsePath('./~', '/base', posix)).toBe('/base/~');
});

test('resolves Windows spellings', () => {
  const windows = { windows: true };
  expect(parsePath('c:/docs/A.TXT', 'C:\\Docs', windows)).toBe('c:\\docs\\A.TXT');
  expect(parsePath('\\\\srv\\share\\dir\\sub', 'C:\\Docs', windows)).toBe(
    '\\\\srv\\share\\dir\\sub',
  );
  expect(parsePath('sub\\..\\x', 'C:\\Docs', windows)).toBe('C:\\Docs\\x');
  expect(parsePath('sub/x', '\\\\srv\\share\\dir', windows)).toBe('\\\\srv\\share\\dir\\sub\\x');
  expect(parsePath('Z:\\sub', 'C:\\Docs', windows)).toBe('Z:\\sub');
  expect(parsePath('file://srv/share/a%20b', 'C:\\Docs', windows)).toBe('\\\\srv\\share\\a b');
  expect(parsePath('file:///c%3A/temp', 'C:\\Docs', windows)).toBe('c:\\temp');
});

test.each([
  'C:\\Docs\\f.txt:ads',
  'C:\\Work\\CON',
  'aux.txt',
  'C:\\Work\\com1',
  'C:\\Work\\COM²',
  'nul .txt',
  '\\\\srv\\share\\f:ads',
  '\\\\?\\UNC\\srv\\share\\f',
  '\\\\.\\C:\\f',
  '\\\\?\\C:\\Windows\\win.ini',
  '//./pipe/x',
  'a.txt.',
  'a ',
  'a?b',
  'a\0b',
])('refuses %j on Windows', (input) => {
  expect(() => parsePath(input, 'C:\\Docs', { windows: true })).toThrow(PathError);
});

test('refuses a path that is longer than a system call takes', () => {
  expect(parsePath('a'.repeat(4096), '/', { windows: false })).toHaveLength(4097);
  expect(() => parsePath('a/'.repeat(2049), '/', { windows: false })).toThrow(
    'longer than 4096 characters',
  );
  expect(parsePath(`file:///${'%C3%A9'.repeat(4000)}`, '/', { windows: false })).toHaveLength(4001);
});

test('is inside only by whole components', () => {
  expect(isInside('/a', '/a')).toBe(true);
  expect(isInside('/a/..b', '/a')).toBe(true);
  expect(isInside('/a/b/c', '/a')).toBe(true);
  expect(isInside('/ab', '/a')).toBe(false);
  expect(isInside('/', '/a')).toBe(false);
  expect(isInside('/a', '/')).toBe(true);
});

test.each(['pipe:[7]', '(unreachable)/a', 'a'])(
  '%s, which is no absolute path, is not inside the working directory',
  (candidate) => {
    expect(isInside(candidate, process.cwd())).toBe(false);
  },
);

test.each([true, false])('refuses half of a surrogate pair, Windows: %s', (windows) => {
  for (const input of ['a\ud800', '\udc00/b'])
    expect(() => parsePath(input, windows ? 'C:\\Docs' : '/base', { windows })).toThrow(
      'half of a surrogate pair',
    );
});
