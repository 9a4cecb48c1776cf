import type { TestProject } from 'vitest/node';
import { hasChromium, startChromium } from '../../../peers/src/chromium.ts';
import { startService } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the browser; undefined where the machine has none. */
    browser: string | undefined;
    /** Address of the service that tests share. */
    service: string;
  }
}

/** Starts the browser and the service that all tests share. Returns the function that ends both. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!hasChromium) {
    process.stderr.write(
      'tests/console: no Chromium; set CHROME_PATH to the program of Chrome or Chromium\n',
    );
    project.provide('browser', undefined);
    return async () => undefined;
  }
  const browser = await startChromium();
  // Nobody else would end the browser, and vitest would wait for it.
  const service = await startService().catch(async (error: unknown) => {
    await browser.close();
    throw error;
  });
  project.provide('browser', browser.wsEndpoint());
  project.provide('service', service.url);
  return async () => {
    await Promise.all([browser.close(), service.stop()]);
  };
}
