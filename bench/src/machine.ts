import { availableParallelism, cpus, loadavg } from 'node:os';

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
