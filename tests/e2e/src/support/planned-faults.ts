import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A signal that the first process gets that passes the point; no other process gets it. */
export interface PlannedFault {
  readonly at: string;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  /** File that the process creates before, with its id. */
  readonly mark: string;
}

/** Stores the faults of the processes that read the file. Each waits for the one before. */
export function planFaults(file: string, faults: readonly PlannedFault[]): void {
  writeFileSync(`${file}.new`, JSON.stringify(faults));
  renameSync(`${file}.new`, file);
}

/** Sends this process the next signal of the plan if it is for the point. */
export function meetFault(file: string, point: string): void {
  if (!existsSync(file)) return;
  const faults = JSON.parse(readFileSync(file, 'utf8')) as readonly PlannedFault[];
  const next = faults.find(({ mark }) => !existsSync(mark));
  if (next?.at !== point || !isFirst(next.mark)) return;
  process.kill(process.pid, next.signal);
}

function isFirst(mark: string): boolean {
  try {
    writeFileSync(mark, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
