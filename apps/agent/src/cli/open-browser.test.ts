import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { browserCommand, openBrowser } from './open-browser.ts';

test.each<[NodeJS.Platform, { readonly [name: string]: string }, readonly string[] | undefined]>([
  ['linux', {}, undefined],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', { BROWSER: '/usr/bin/lynx' }, ['/usr/bin/lynx']],
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32.exe', 'url.dll,FileProtocolHandler']],
])('on %s with %j the browser is %j', (platform, env, command) => {
  expect(browserCommand({ platform, env })).toEqual(command);
});

test('the program gets the address as one argument, and no shell reads it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'browser-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, 'browser');
  const seen = join(folder, 'seen');
  await writeFile(program, `#!/bin/sh\nprintf '%s' "$1" > ${seen}\n`, { mode: 0o755 });
  const url = 'https://as.example/authorize?a=1&b=$(touch%20x);`id`';
  const place = { platform: 'linux', env: { BROWSER: program } } as const;
  expect(await openBrowser(url, place)).toBe(true);
  await vi.waitFor(async () => expect(await readFile(seen, 'utf8')).toBe(url), 5000);
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http://as.example/',
  'data:text/html,x',
  'x',
])('the address %s is not opened', async (url) => {
  const place = { platform: 'linux', env: { BROWSER: process.execPath } } as const;
  expect(await openBrowser(url, place)).toBe(false);
});

test('a program that is missing is no error', async () => {
  const place = { platform: 'linux', env: { BROWSER: '/nowhere/browser' } } as const;
  expect(await openBrowser('https://as.example/', place)).toBe(false);
});
