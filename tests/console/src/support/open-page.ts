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
  /** Whether the page gets a profile of its own, with an empty cache, as scripts of the test need that run before the page. Default: false. */
  readonly isNew?: boolean;
}

/** A page for one test after another. */
interface Tab {
  readonly page: Page;
  readonly problems: string[];
}

const SIZES = {
  desk: { width: 1280, height: 800 },
  phone: { width: 375, height: 750 },
} as const;

let browser: Promise<Browser> | undefined;
/** Tabs that no test uses, by the address of their service. A new tab costs three times as much processor time as a load in one of them. */
const freeTabs = new Map<string, Tab[]>();

/**
 * Opens a page of the console without stored data. At the end of the test it fails if the page violated its content security policy,
 * requested something of another host, logged an error or threw one.
 */
export async function openPage(path: string, options: PageOptions = {}): Promise<Page> {
  const {
    theme = 'light',
    width = 'desk',
    service = inject('service'),
    expected,
    isNew = false,
  } = options;
  const tab = (isNew ? undefined : freeTabs.get(service)?.pop()) ?? (await newTab(service));
  const { page, problems } = tab;
  onTestFinished(async ({ task }) => {
    if (isNew || task.result?.state === 'fail') await page.context().close();
    else {
      await clear(page);
      freeTabs.set(service, [...(freeTabs.get(service) ?? []), tab]);
    }
    const found = problems.splice(0);
    expect(found.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
  });
  await page.setViewportSize(SIZES[width]);
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(path);
  return page;
}

async function newTab(service: string): Promise<Tab> {
  browser ??= connectChromium(inject('browser') ?? '');
  const context = await (
    await browser
  ).newContext({
    baseURL: service,
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
  return { page, problems };
}

/** Deletes what a test left in its page: routes, stored data, the position of the mouse and the document. */
async function clear(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.mouse.move(0, 0);
  await page.goto('/favicon.svg');
}
