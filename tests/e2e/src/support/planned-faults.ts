import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A signal that the first process gets that passes the point; no other process gets it. */
export interface PlannedFault {
  readonly at: string;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  /** File that the process creates before, with its id. */
  readonly mark: string;
  /** File that must be there: otherwise the signal waits for the next point at which it is. */
  readonly evidence?: string;
}

/** Stores the faults of the processes that read the file. Each waits for the one before. */
export function planFaults(file: string, faults: readonly PlannedFault[]): void {
  writeFileSync(`${file}.new`, JSON.stringify(faults));
  renameSync(`${file}.new`, file);
}

/** Marks of the faults whose point this process has passed. */
const passed = new Set<string>();

/** Sends this process the next signal of the plan if it is for the point. */
export function meetFault(file: string, point: string): void {
  if (!existsSync(file)) return;
  const faults = JSON.parse(readFileSync(file, 'utf8')) as readonly PlannedFault[];
  const next = faults.find(({ mark }) => !existsSync(mark));
  if (next === undefined) return;
  if (next.at === point) passed.add(next.mark);
  const isDue = passed.has(next.mark) && (next.evidence === undefined || existsSync(next.evidence));
  if (!isDue || !isFirst(next.mark)) return;
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
