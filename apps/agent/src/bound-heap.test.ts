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

/** Returns the growth factor of the old generation of a process that replaces all of it again and again, after a full collection. */
async function oldGrowth(prepare: string): Promise<number> {
  const code = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { boundYoungGeneration, boundGarbage } from ${boundHeap};
    boundYoungGeneration(1);
    ${prepare}
    const oldSize = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_size;
    const kept = Array.from({ length: 80 }, entries);
    function entries(_, round) {
      return Array.from({ length: 10_000 }, (_, index) => ({ index, round }));
    }
    gc();
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
    ['--expose-gc', '--input-type=module', '--eval', code],
    { env: {} },
  );
  return Number(stdout);
}

test('the young generation does not grow beyond the set size, as it does without the limit', async () => {
  const bound = `
    import { boundYoungGeneration } from ${boundHeap};
    boundYoungGeneration(24 * 2 ** 20);
  `;
  expect(await youngMb(bound)).toBeLessThan(50);
  expect(await youngMb('')).toBeGreaterThan(60);
});

test('the young generation stays small during the start, and grows up to the set size after it', async () => {
  const start = (startMs: number): string => `
    import { startWithSmallYoungGeneration } from ${boundHeap};
    startWithSmallYoungGeneration({ startMs: ${startMs}, bytes: 24 * 2 ** 20 });
  `;
  const [during, after] = await Promise.all([youngMb(start(60_000)), youngMb(start(1))]);
  expect(during).toBeLessThan(10);
  expect(after).toBeGreaterThan(10);
  expect(after).toBeLessThan(50);
});

test('the old generation is collected when it has doubled, and grows fourfold otherwise', async () => {
  const [bound, unbound] = await Promise.all([oldGrowth('boundGarbage(100);'), oldGrowth('')]);
  expect(bound).toBeLessThan(3.5);
  expect(unbound).toBeGreaterThan(3.5);
});
