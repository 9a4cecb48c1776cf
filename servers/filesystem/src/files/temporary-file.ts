import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { nodeCrypto } from './node-crypto.ts';

/** A name for a file that becomes another; it says which process made it, so that what a crash leaves behind can be told from what is in use. */
export function temporaryName(): string {
  return `.signalbox-${machine()}-${process.pid}-${startedAt()}-${nodeCrypto().randomBytes(6).toString('hex')}.tmp`;
}

const namePattern = /^\.signalbox-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-[0-9a-f]{12}\.tmp$/;
/** Milliseconds for which the files of another machine may be in use. */
const foreignMs = 24 * 60 * 60 * 1000;

/** Whether a name was made by `temporaryName`. */
export function isTemporaryName(name: string): boolean {
  return namePattern.test(name);
}

/** Whether the process that made this name has ended; of another machine or container, whether the file was last changed more than a day ago. */
export function isLeftover(name: string, modifiedMs: number): boolean {
  const [, from, pid, started] = namePattern.exec(name) ?? [];
  if (from === undefined) return false;
  if (from !== machine()) return Date.now() - modifiedMs > foreignMs;
  if (Number(pid) === process.pid) return started !== startedAt();
  return !isRunning(Number(pid));
}

/** Tells machines, and on Linux containers with processes of their own, from each other. */
function machine(): string {
  return nodeCrypto()
    .createHash('sha256')
    .update(`${hostname()} ${processNamespace()}`)
    .digest('hex')
    .slice(0, 8);
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Of this process, to tell it from an earlier one of the same number. */
function startedAt(): string {
  return Math.round(performance.timeOrigin).toString(36);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
