import { expect, test } from 'vitest';
import { describeServer, type DescribedServer } from './server-status.ts';

const LONG = 'x'.repeat(1024 * 1024);

test('errors and warnings of a server are cut in its status', () => {
  const life = {
    connection: {
      client: {
        server: {
          era: 'modern',
          protocolVersion: '2026-07-28',
          capabilities: {},
        },
      },
    },
    tools: { current: { entries: new Map(), warnings: Array.from({ length: 2000 }, () => LONG) } },
  };
  const status = describeServer({
    config: { name: 'a', command: 'x' },
    stage: { state: 'failed', since: 0, restarts: 0, error: LONG },
    life,
    breaker: { state: 'closed', failures: 0 },
    roots: [],
    calls: { connections: [], waiting: [] },
    mask: (text: string) => text,
  } as unknown as DescribedServer);
  expect(status.warnings.at(-1)).toBe('1900 further warnings are not listed');
  expect(status.error).toMatch(/^x{3072} \[… 1044480 of 1048576 characters left out …\] x{1024}$/);
  expect(JSON.stringify(status).length).toBeLessThan(450_000);
});
