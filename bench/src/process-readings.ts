import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** `/proc` counts in KiB; figures are in MB (10⁶ bytes). */
const MB_PER_KIB = 1024 / 1e6;

/** CPU time of a running process in milliseconds, without threads that have ended; NaN without /proc. */
export function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const threads = readdirSync(`/proc/${String(pid)}/task`);
  const nanoseconds = threads.map((thread) =>
    Number.parseInt(readProc(`${String(pid)}/task/${thread}/schedstat`), 10),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Resident memory of a running process in MB; NaN without /proc. */
export function residentMbOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  return (
    Number(/^VmRSS:\s+(\d+)/mu.exec(readProc(`${String(pid)}/status`))?.[1] ?? Number.NaN) *
    MB_PER_KIB
  );
}

/** Peak resident memory of a running process in MB; NaN without /proc. */
export function peakResidentMbOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  return (
    Number(/^VmHWM:\s+(\d+)/mu.exec(readProc(`${String(pid)}/status`))?.[1] ?? Number.NaN) *
    MB_PER_KIB
  );
}

/** Returns an empty text if the kernel does not provide the file. */
function readProc(file: string): string {
  const path = `/proc/${file}`;
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}
