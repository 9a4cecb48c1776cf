// The service with test hooks: CRASH_AT names the crash point at which the process kills itself, or at the first point after it at which the file
// CRASH_EVIDENCE is there; it writes the file CRASH_MARK first. GUARD_OFF names a protection that is switched off; with `start`, the process that is
// to be killed ends before it has started.
import { existsSync, writeFileSync } from 'node:fs';
import { createProcessIo, runCommand, type TestHooks } from '@signalbox/agent';
import { hooksWithout } from './crash-hooks.ts';

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
  ...hooksWithout(guardOff),
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
