/// <reference lib="dom" />
import { expect, inject, onTestFinished } from 'vitest';
import { connectChromium, type Browser, type Page } from '../../../peers/src/chromium.ts';

export interface PageOptions {
  /** Default: `light`. */
  readonly theme?: 'light' | 'dark';
  /** `phone`: 375 by 750 pixels. Default: `desk`, 1280 by 800. */
  readonly width?: 'desk' | 'phone';
  /** Address of the service. Default: the one that tests share. */
  readonly service?: string;
  /** Problems of the console and failed requests that the test provokes. */
  readonly expected?: RegExp;
}

const SIZES = {
  desk: { width: 1280, height: 800 },
  phone: { width: 375, height: 750 },
} as const;

let browser: Promise<Browser> | undefined;

/**
 * Opens a page of the console in a new profile. At the end of the test it fails if the page violated its content security policy,
 * requested something of another host, logged an error or threw one.
 */
export async function openPage(path: string, options: PageOptions = {}): Promise<Page> {
  const { theme = 'light', width = 'desk', service = inject('service'), expected } = options;
  browser ??= connectChromium(inject('browser') ?? '');
  const context = await (
    await browser
  ).newContext({
    baseURL: service,
    colorScheme: theme,
    viewport: SIZES[width],
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(90_000);
  const problems: string[] = [];
  const page = await context.newPage();
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      // oxlint-disable-next-line no-console -- this function runs in the page
      console.error(`content security policy: ${violatedDirective} ${blockedURI}`);
    });
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== service)
      problems.push(`request of another host: ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
  });
  await page.goto(path);
  return page;
}
