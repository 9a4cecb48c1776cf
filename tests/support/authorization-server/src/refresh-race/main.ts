import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRefreshRace } from './run-refresh-race.ts';

const rounds = Number(/^--rounds=(\d+)$/u.exec(process.argv[2] ?? '')?.[1] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), 'refresh-race-'));
try {
  const { refreshes, refusedRequests, failures } = await runRefreshRace({
    rounds,
    folder,
    isLocking: true,
  });
  const once = refreshes.filter((count) => count === 1).length;
  process.stdout.write(
    `${once} of ${rounds} expiries led to one refresh; ${refusedRequests} requests got 401; ${failures.length} calls failed\n`,
  );
  process.exitCode = once === rounds && refusedRequests + failures.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
