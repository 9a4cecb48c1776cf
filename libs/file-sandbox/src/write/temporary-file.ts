import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { nodeCrypto } from '../node-crypto.ts';

/**
 * Returns a name for a temporary file. It identifies the process, so that leftovers of a crash can
 * be distinguished from files in use.
 */
export function temporaryName(): string {
  return `.signalbox-${machine()}-${process.pid}-${startedAt()}-${nodeCrypto().randomBytes(6).toString('hex')}.tmp`;
}

const namePattern = /^\.signalbox-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-[0-9a-f]{12}\.tmp$/;
/** Milliseconds after which a file of another machine counts as a leftover. */
const foreignMs = 24 * 60 * 60 * 1000;

/** Whether `temporaryName` created a name. */
export function isTemporaryName(name: string): boolean {
  return namePattern.test(name);
}

/**
 * Whether the process that created this name has ended or, for another machine or container, the
 * file was last changed more than a day ago.
 */
export function isLeftover(name: string, modifiedMs: number): boolean {
  const [, from, pid, started] = namePattern.exec(name) ?? [];
  if (from === undefined) return false;
  if (from !== machine()) return Date.now() - modifiedMs > foreignMs;
  if (Number(pid) === process.pid) return started !== startedAt();
  return !isRunning(Number(pid));
}

/** Returns an id of this machine or, on Linux, of its process namespace. */
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

/**
 * Returns the start time of this process, which distinguishes it from an earlier process with the
 * same id.
 */
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
