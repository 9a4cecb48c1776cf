// The service with test hooks: CRASH_AT names the crash point at which the process kills itself, GUARD_OFF a protection that is switched off.
import { createProcessIo, runCommand, type TestHooks } from '@signalbox/agent';

const { CRASH_AT: crashAt, GUARD_OFF: guardOff } = process.env;

const hooks: TestHooks = {
  crashPoints(point) {
    if (point === crashAt) process.kill(process.pid, 'SIGKILL');
  },
  ...(guardOff === 'ledger' ? { recovery: () => 'retry' as const } : {}),
};

process.exitCode = await runCommand(
  createProcessIo(process),
  { argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), repository: process.cwd(), version: '0.0.0-test' },
  hooks,
);
