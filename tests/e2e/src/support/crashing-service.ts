// The service with test hooks: CRASH_AT names the crash point at which the process kills itself, or at the first point after it at which the file
// CRASH_EVIDENCE is there; it writes the file CRASH_MARK first. GUARD_OFF names a protection that is switched off; with `start`, the process that is
// to be killed ends before it has started.
import { existsSync, writeFileSync } from 'node:fs';
import { createProcessIo, runCommand, type TestHooks } from '@signalbox/agent';

type Store = Parameters<NonNullable<TestHooks['store']>>[0];

const {
  CRASH_AT: crashAt,
  CRASH_EVIDENCE: evidence,
  CRASH_MARK: mark,
  GUARD_OFF: guardOff,
} = process.env;
if (guardOff === 'start' && crashAt !== undefined) process.exit(1);
let isDue = false;

const hooks: TestHooks = {
  crashPoints(point) {
    isDue ||= point === crashAt;
    if (!isDue || (evidence !== undefined && !existsSync(evidence))) return;
    if (mark !== undefined) writeFileSync(mark, point);
    process.kill(process.pid, 'SIGKILL');
  },
  ...(guardOff === 'ledger' ? { recovery: () => 'retry' as const } : {}),
  ...(guardOff === 'recovery' ? { store: forgetful } : {}),
};

/** A store that does not tell which runs an earlier process left unsettled. */
function forgetful(store: Store): Store {
  const read: Store['read'] = Object.assign(Object.create(store.read) as Store['read'], {
    runIds: () => Promise.resolve([]),
  });
  return Object.assign(Object.create(store) as Store, { read });
}

process.exitCode = await runCommand(
  createProcessIo(process),
  {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    repository: process.cwd(),
    version: '0.0.0-test',
  },
  hooks,
);
