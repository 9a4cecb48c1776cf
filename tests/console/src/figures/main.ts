/// <reference lib="dom" />
// node src/figures/main.ts: figures of the console in Chromium, for apps/console/README.md. Times depend on the machine and its load.
import { loadavg } from 'node:os';
import {
  connectChromium,
  startChromium,
  type Browser,
  type Page,
} from '../../../peers/src/chromium.ts';
import { MANY_EVENTS_RUN, manyEvents } from '../support/many-events.ts';
import { startService } from '../support/service.ts';
import { simulateHour } from './simulated-hour.ts';

const ROUNDS = 7;

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
const print = (name: string, value: string): void =>
  void process.stdout.write(`${name}: ${value}\n`);

async function newPage(browser: Browser, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } });
  return context.newPage();
}

/** Returns a function that reads the processor time of the main thread of a page in milliseconds. */
async function processorTime(page: Page): Promise<() => Promise<number>> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await debug.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
}

/** Opens the list of runs in new profiles: milliseconds until its button is there, and bytes. */
async function firstView(browser: Browser, url: string): Promise<void> {
  const times: number[] = [];
  const processor: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await newPage(browser, url);
    const read = await processorTime(page);
    const start = performance.now();
    await page.goto('/runs', { waitUntil: 'commit' });
    await page.getByRole('link', { name: 'New run' }).waitFor();
    times.push(performance.now() - start);
    processor.push(await read());
    bytes = await page.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(({ name }) => !name.includes('/v1/'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    await page.context().close();
  }
  print(
    'first view, cold cache',
    `${median(times).toFixed(0)} ms, of which ${median(processor).toFixed(0)} ms processor time; ${(bytes / 1000).toFixed(0)} kB compressed`,
  );
}

/** Opens a run of ten thousand events, scrolls through it and opens a row. */
async function manyEventsRun(browser: Browser, url: string): Promise<void> {
  const page = await newPage(browser, url);
  await page.route('**/v1/runs/many', (route) => route.fulfill({ json: MANY_EVENTS_RUN }));
  await page.route('**/v1/runs/many/events*', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: manyEvents() }),
  );
  const read = await processorTime(page);
  const start = performance.now();
  await page.goto('/runs/many');
  await page.getByRole('tab', { name: `Events ${MANY_EVENTS_RUN.last_seq}` }).waitFor();
  const loaded = await read();
  print(
    '10,000 events, until all are there',
    `${(performance.now() - start).toFixed(0)} ms, of which ${loaded.toFixed(0)} ms processor time`,
  );
  const frames = await page.evaluate(async () => {
    const times: number[] = [];
    let last = performance.now();
    for (let step = 0; step < 300; step += 1) {
      scrollBy(0, 700);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.toSorted((left, right) => left - right);
  });
  const perFrame = ((await read()) - loaded) / frames.length;
  const share = (part: number): string =>
    (frames[Math.floor(frames.length * part)] ?? 0).toFixed(0);
  print(
    '10,000 events, frames while scrolling',
    `median ${share(0.5)} ms, 95 % within ${share(0.95)} ms; ${perFrame.toFixed(1)} ms processor time each`,
  );
  print(
    '10,000 events, latency of an interaction',
    `${(await interactionLatency(page)).toFixed(0)} ms`,
  );
  print('10,000 events, memory', await memoryOf(page));
  await page.context().close();
}

/** Milliseconds from a click that opens a call until the next frame, as the browser reports it. */
async function interactionLatency(page: Page): Promise<number> {
  await page.evaluate(() => {
    const durations: number[] = [];
    Object.assign(globalThis, { durations });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (entry.name === 'click') durations.push(entry.duration);
    }).observe({
      type: 'event',
      durationThreshold: 16,
      buffered: false,
    } as PerformanceObserverInit);
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    await page
      .locator('.disclosure')
      .nth(round % 3)
      .click();
    await page.waitForTimeout(200);
  }
  return page.evaluate(() => {
    const { durations } = globalThis as unknown as { durations: number[] };
    // Shorter interactions than the threshold are not reported.
    return (
      durations.toSorted((left, right) => left - right)[Math.floor(durations.length / 2)] ?? 16
    );
  });
}

/** Follows the simulated hour and reads the memory at its end. */
async function hourLongStream(browser: Browser, service: string): Promise<void> {
  const hour = await simulateHour(service);
  const page = await newPage(browser, hour.url);
  await page.goto('/runs/hour');
  await page.getByRole('tab', { name: `Events ${hour.events}` }).waitFor({ timeout: 300_000 });
  print(`an hour of ${hour.events} events and ${hour.deltas} deltas, memory`, await memoryOf(page));
  await page.context().close();
  hour.close();
}

/** The heap after a garbage collection, and the number of elements. */
async function memoryOf(page: Page): Promise<string> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable');
  await debug.send('HeapProfiler.collectGarbage');
  const { metrics } = await debug.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
  const elements = await page.locator('*').count();
  return `${(heap / 1e6).toFixed(1)} MB heap, ${elements} elements`;
}

const [server, service] = await Promise.all([startChromium(), startService()]);
const browser = await connectChromium(server.wsEndpoint());
print('load of the machine', loadavg()[0]?.toFixed(1) ?? '');
await firstView(browser, service.url);
await manyEventsRun(browser, service.url);
await hourLongStream(browser, service.url);
await browser.close();
await Promise.all([server.close(), service.stop()]);
process.exit(0);
