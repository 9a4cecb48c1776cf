import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The megabytes of a process's young generation after much of what it made lived for a while. */
async function youngMb(prepare: string): Promise<number> {
  const code = `
    import { getHeapSpaceStatistics } from 'node:v8';
    ${prepare}
    const kept = [];
    for (let round = 0; round < 200; round += 1) {
      kept.push(Array.from({ length: 20_000 }, (_, index) => ({ index, round })));
      if (kept.length > 20) kept.shift();
      await new Promise(setImmediate);
    }
    console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 2 ** 20);
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { env: {} },
  );
  return Number(stdout);
}

/** How many full collections a process without any load makes within a moment. */
async function fullCollections(prepare: string): Promise<number> {
  const code = `
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { setTimeout as delay } from 'node:timers/promises';
    ${prepare}
    let full = 0;
    new PerformanceObserver((list) => {
      full += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
    }).observe({ entryTypes: ['gc'] });
    await delay(200);
    console.log(full);
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { env: {} },
  );
  return Number(stdout);
}

test('the heap is collected once, which V8 would not do by itself', async () => {
  const collect = `
    import { collectHeapOnce } from ${JSON.stringify(new URL('bound-heap.ts', import.meta.url).href)};
    collectHeapOnce(10);
  `;
  expect(await fullCollections(collect)).toBe(1);
  expect(await fullCollections('')).toBe(0);
});

test('the young generation grows no more once it has the size, as it would otherwise', async () => {
  const bound = `
    import { boundYoungGeneration } from ${JSON.stringify(new URL('bound-heap.ts', import.meta.url).href)};
    boundYoungGeneration(24 * 2 ** 20);
  `;
  expect(await youngMb(bound)).toBeLessThan(50);
  expect(await youngMb('')).toBeGreaterThan(60);
});
