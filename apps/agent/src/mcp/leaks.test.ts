import { describe, expect, test } from 'vitest';
import { CONTROL, tryWay, WAYS } from './testing/leaks/leak-proof.ts';

const SERVERS = 2;

/** Short version of `npm run leaks`, which starts a thousand servers. */
describe.runIf(process.platform === 'linux').concurrent('nothing is left of servers', () => {
  test.each(WAYS.map((way) => [way.name, way] as const))(
    '%s',
    { timeout: 120_000 },
    async (_name, way) => {
      expect(await tryWay(way, SERVERS)).toEqual({ passed: SERVERS, failed: 0 });
    },
  );

  test('control: without the reaper a process is left', { timeout: 120_000 }, async () => {
    expect(await tryWay(CONTROL, SERVERS, 1500)).toEqual({ passed: 0, failed: SERVERS });
  });
});
