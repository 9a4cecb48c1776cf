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

/** CPU time of a running process and its descendants in milliseconds, without processes and threads that have ended; NaN without /proc. */
export function cpuMsOfTree(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => sum + (cpuMsIfRunning(each) ?? 0), 0);
}

/** CPU time of a process in milliseconds; undefined when it has ended meanwhile. */
function cpuMsIfRunning(pid: number): number | undefined {
  try {
    return cpuMsOf(pid);
  } catch (error) {
    if (existsSync(`/proc/${String(pid)}`)) throw error;
    return undefined;
  }
}

/** Process ids of the children, their children and so on; none without /proc. */
export function descendantsOf(pid: number): readonly number[] {
  const folder = `/proc/${String(pid)}/task`;
  if (!existsSync(folder)) return [];
  const children = readFolder(folder).flatMap((thread) =>
    readProc(`${String(pid)}/task/${thread}/children`)
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
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

/** Returns the names in a folder; none when its process has ended meanwhile. */
function readFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (existsSync(path)) throw error;
    return [];
  }
}

/** Returns an empty text if the kernel does not provide the file. */
function readProc(file: string): string {
  const path = `/proc/${file}`;
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}
