import { availableParallelism, cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Time over which the work of other processes is measured, in milliseconds. */
const SAMPLE_MS = 2000;
/** Share of the processor time that other processes may use on a quiet machine. */
const QUIET_SHARE = 0.1;

/** Describes the machine and its load in a line. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${String(availableParallelism())} cores (${model}), load average ${describeLoad()}`;
}

export function describeLoad(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
}

/** Whether no other work is done on the machine now. Takes two seconds. */
export async function isMachineQuiet(): Promise<boolean> {
  const before = processorTimes();
  await wait(SAMPLE_MS);
  const after = processorTimes();
  return (after.busy - before.busy) / (after.all - before.all) < QUIET_SHARE;
}

/** Returns the time in which the processors worked, and all of their time, in milliseconds. */
function processorTimes(): { readonly busy: number; readonly all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq + times.idle;
    all += sum;
    busy += sum - times.idle;
  }
  return { busy, all };
}
