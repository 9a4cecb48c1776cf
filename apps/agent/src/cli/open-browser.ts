import { spawn } from 'node:child_process';
import { isLoopback } from '@signalbox/mcp-core';

/** The machine on which a browser is opened. */
export interface BrowserPlace {
  readonly platform: NodeJS.Platform;
  readonly env: { readonly [name: string]: string | undefined };
}

/**
 * Opens an address in the user's browser, never through a shell: with the program in `BROWSER`, or
 * else with that of the desktop. Returns whether a program was started. Refuses addresses other than
 * `https:`, and `http:` at a loopback address.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations
 */
export async function openBrowser(url: string, place: BrowserPlace): Promise<boolean> {
  const command = isSafe(url) ? browserCommand(place) : undefined;
  if (command === undefined) return false;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], {
    detached: true,
    stdio: 'ignore',
    shell: false,
    windowsHide: true,
  });
  child.unref();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  return promise;
}

/** Returns the program that opens an address, with its first arguments; undefined without a desktop. */
export function browserCommand({
  platform,
  env,
}: BrowserPlace): readonly [string, ...string[]] | undefined {
  const { BROWSER: browser = '', DISPLAY: x11 = '', WAYLAND_DISPLAY: wayland = '' } = env;
  if (browser !== '') return [browser];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler'];
  return x11 === '' && wayland === '' ? undefined : ['xdg-open'];
}

function isSafe(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
