import { expect, test } from 'vitest';
import { behaviors } from './behaviors.ts';
import { besiege } from './besiege.ts';
import { memoryBound } from './memory-bound.ts';

const MIB = 1024 * 1024;

test('a server under hostile clients of every kind takes no more memory than its limits allow', async () => {
  const limits = {
    maxConnections: 80,
    maxSessions: 80,
    maxRequestBytes: MIB,
    maxUnsentBytes: MIB,
  };
  const bytes = await besiege(Object.values(behaviors), 80, limits);
  expect(bytes / MIB).toBeLessThan(memoryBound(limits) / MIB);
});
