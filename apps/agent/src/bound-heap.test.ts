import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const boundHeap = JSON.stringify(new URL('bound-heap.ts', import.meta.url).href);

/** Returns the size in MB of a process's young generation after `prepare`, and after many objects have lived for a while. */
async function youngMb(prepare: string): Promise<readonly [before: number, after: number]> {
  const code = `
    import { getHeapSpaceStatistics } from 'node:v8';
    ${prepare}
    const youngMb = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 2 ** 20;
    const before = youngMb();
    const kept = [];
    for (let round = 0; round < 200; round += 1) {
      kept.push(Array.from({ length: 20_000 }, (_, index) => ({ index, round })));
      if (kept.length > 20) kept.shift();
      await new Promise(setImmediate);
    }
    console.log(JSON.stringify([before, youngMb()]));
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { env: {} },
  );
  return JSON.parse(stdout) as [number, number];
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
  expect((await youngMb(bound))[1]).toBeLessThan(50);
  expect((await youngMb(''))[1]).toBeGreaterThan(60);
});

test('the young generation stays small during the start, and grows up to the set size after it', async () => {
  const start = (startMs: number): string => `
    import { startWithSmallYoungGeneration } from ${boundHeap};
    startWithSmallYoungGeneration({ startMs: ${startMs}, bytes: 24 * 2 ** 20 });
  `;
  const [[before, during], [, after]] = await Promise.all([
    youngMb(start(60_000)),
    youngMb(start(1)),
  ]);
  expect(during - before).toBeLessThan(10);
  expect(after).toBeGreaterThan(during);
  expect(after).toBeLessThan(50);
});

test('the old generation is collected when it has doubled, and grows fourfold otherwise', async () => {
  const [bound, unbound] = await Promise.all([oldGrowth('boundGarbage(100);'), oldGrowth('')]);
  expect(bound).toBeLessThan(3.5);
  expect(unbound).toBeGreaterThan(3.5);
});

test('a code cache that was written with other bounds is accepted with the fixed flags, and rejected without them', async () => {
  const code = `
    import { Script } from 'node:vm';
    import { boundGarbage, withFixedFlags } from ${boundHeap};
    const cacheOf = (text) => new Script(text).createCachedData();
    const isRejected = (text, cachedData) => new Script(text, { cachedData }).cachedDataRejected;
    const [fixed, changed] = JSON.parse(process.argv[1] ?? '[]').map((text) => Buffer.from(text, 'base64'));
    if (fixed === undefined) {
      boundGarbage(100);
      console.log(JSON.stringify([withFixedFlags(() => cacheOf('1 + 1')), cacheOf('2 + 2')].map((data) => data.toString('base64'))));
    } else {
      boundGarbage(50);
      console.log(withFixedFlags(() => isRejected('1 + 1', fixed)), isRejected('2 + 2', changed));
    }
  `;
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', code, ...args],
      { env: {} },
    );
    return stdout;
  };
  expect(await run(await run())).toBe('false true\n');
});
