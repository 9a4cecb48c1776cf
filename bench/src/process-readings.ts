import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Megabytes (10⁶ bytes) in a mebibyte. */
export const MB_PER_MIB = 1.048576;

/** CPU time of a running process in milliseconds, that of threads which have ended not included; NaN where /proc does not tell. */
export function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const threads = readdirSync(`/proc/${String(pid)}/task`);
  const nanoseconds = threads.map((thread) =>
    Number.parseInt(readProc(`${String(pid)}/task/${thread}/schedstat`), 10),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Resident memory of a running process in MiB; NaN where there is no /proc. */
export function residentMibOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  return (
    Number(/^VmRSS:\s+(\d+)/mu.exec(readProc(`${String(pid)}/status`))?.[1] ?? Number.NaN) / 1024
  );
}

/** The most a running process has ever had resident, in MiB; NaN where there is no /proc. */
export function peakResidentMibOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  return (
    Number(/^VmHWM:\s+(\d+)/mu.exec(readProc(`${String(pid)}/status`))?.[1] ?? Number.NaN) / 1024
  );
}

/** Empty where the kernel was built without it. */
function readProc(file: string): string {
  const path = `/proc/${file}`;
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}
