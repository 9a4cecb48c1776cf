// The service with test hooks: FAULT_PLAN names a file of planned faults, LOSSY_BUS=1 loses half of the signals, and CLOCK_SKEW_MS is added to the clock, except for leases. CRASH_AT names the crash point at which the process kills itself, or at the first point after it at which the file
// CRASH_EVIDENCE is there; it writes the file CRASH_MARK first. GUARD_OFF names a protection that is switched off; with `start`, the process that is
// to be killed ends before it has started.
import { existsSync, writeFileSync } from 'node:fs';
import { createProcessIo, runCommand, type TestHooks } from '@signalbox/agent';
import { hooksWithout } from './crash-hooks.ts';
import { lossyBus } from './lossy-bus.ts';
import { meetFault } from './planned-faults.ts';

const {
  CRASH_AT: crashAt,
  CRASH_EVIDENCE: evidence,
  CRASH_MARK: mark,
  GUARD_OFF: guardOff,
  FAULT_PLAN: plan,
  LOSSY_BUS: isLossy,
  CLOCK_SKEW_MS: skewMs,
} = process.env;
if (guardOff === 'start' && crashAt !== undefined) process.exit(1);
let isDue = false;

const hooks: TestHooks = {
  crashPoints(point) {
    if (plan !== undefined) meetFault(plan, point);
    isDue ||= point === crashAt;
    if (!isDue || (evidence !== undefined && !existsSync(evidence))) return;
    if (mark !== undefined) writeFileSync(mark, point);
    process.kill(process.pid, 'SIGKILL');
  },
  ...hooksWithout(guardOff, Number(skewMs ?? 0)),
  ...(isLossy === undefined ? {} : { bus: lossyBus }),
  ...(skewMs === undefined
    ? {}
    : {
        clock: (clock) => ({
          now: () => clock.now() + Number(skewMs),
          after: (ms, callback) => clock.after(ms, callback),
        }),
      }),
};

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
