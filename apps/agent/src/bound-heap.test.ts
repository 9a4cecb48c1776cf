import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const boundHeap = JSON.stringify(new URL('bound-heap.ts', import.meta.url).href);

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

/** How many times as large the old generation of a process becomes as what it holds, while it replaces all of that again and again. */
async function oldGrowth(prepare: string): Promise<number> {
  const code = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setTimeout as delay } from 'node:timers/promises';
    import { boundYoungGeneration, boundGarbage, collectHeapOnce } from ${boundHeap};
    boundYoungGeneration(1);
    ${prepare}
    const oldSize = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_size;
    const kept = Array.from({ length: 80 }, entries);
    function entries(_, round) {
      return Array.from({ length: 10_000 }, (_, index) => ({ index, round }));
    }
    collectHeapOnce(1);
    await delay(20);
    const first = oldSize();
    let largest = 0;
    for (let round = 0; round < 320; round += 1) {
      kept[round % kept.length] = entries(undefined, round);
      largest = Math.max(largest, oldSize());
      await new Promise(setImmediate);
    }
    console.log(largest / first);
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
    import { collectHeapOnce } from ${boundHeap};
    collectHeapOnce(10);
  `;
  expect(await fullCollections(collect)).toBe(1);
  expect(await fullCollections('')).toBe(0);
});

test('the young generation grows no more once it has the size, as it would otherwise', async () => {
  const bound = `
    import { boundYoungGeneration } from ${boundHeap};
    boundYoungGeneration(24 * 2 ** 20);
  `;
  expect(await youngMb(bound)).toBeLessThan(50);
  expect(await youngMb('')).toBeGreaterThan(60);
});

test('the old generation is collected when it has doubled, and would quadruple otherwise', async () => {
  const [bound, unbound] = await Promise.all([oldGrowth('boundGarbage(100);'), oldGrowth('')]);
  expect(bound).toBeLessThan(3.5);
  expect(unbound).toBeGreaterThan(3.5);
});
