export { longestBlockMs, threadCpuMs } from './cpu-time.ts';
export { msUntilEnd } from './ms-until-end.ts';
export { startStopwatch } from './stopwatch.ts';
export { unprivilegedNode } from './unprivileged-node.ts';
