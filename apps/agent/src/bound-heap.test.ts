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
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env: {} });
  return Number(stdout);
}

/** The megabytes of a process's heap after it made much garbage that lived for a moment. */
async function heapMb(prepare: string): Promise<number> {
  const code = `
    import { getHeapStatistics } from 'node:v8';
    import { setTimeout as delay } from 'node:timers/promises';
    ${prepare}
    await delay(20);
    let kept = [];
    for (let round = 0; round < 400; round += 1) {
      kept.push(Array.from({ length: 3000 }, (_, index) => ({ index, round })));
      if (kept.length > 40) kept = [];
      await new Promise(setImmediate);
    }
    console.log(getHeapStatistics().total_heap_size / 2 ** 20);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env: {} });
  return Number(stdout);
}

test('after one early collection the heap grows with what is in use', { timeout: 30_000 }, async () => {
  const bound = `
    import { collectHeapOnce } from ${JSON.stringify(new URL('bound-heap.ts', import.meta.url).href)};
    collectHeapOnce(1);
  `;
  expect(await heapMb(bound)).toBeLessThan(0.8 * (await heapMb('')));
});

test('the young generation grows no more once it has the size, as it would otherwise', { timeout: 30_000 }, async () => {
  const bound = `
    import { boundYoungGeneration } from ${JSON.stringify(new URL('bound-heap.ts', import.meta.url).href)};
    boundYoungGeneration(24 * 2 ** 20);
  `;
  expect(await youngMb(bound)).toBeLessThan(50);
  expect(await youngMb('')).toBeGreaterThan(60);
});
