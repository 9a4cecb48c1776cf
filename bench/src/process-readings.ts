import { readFileSync } from 'node:fs';

/** Milliseconds of one tick of the kernel's clock as /proc shows it. */
const TICK_MS = 10;

/** CPU time of a running process in milliseconds, user and system, in steps of 10 ms; NaN where there is no /proc. */
export function cpuMsOf(pid: number): number {
  const text = readProc(pid, 'stat');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) * TICK_MS;
}

/** Resident memory of a running process in MiB; NaN where there is no /proc. */
export function residentMibOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/mu.exec(readProc(pid, 'status'))?.[1] ?? Number.NaN) / 1024;
}

function readProc(pid: number, file: string): string {
  return process.platform === 'linux' ? readFileSync(`/proc/${String(pid)}/${file}`, 'latin1') : '';
}
