// Preloaded into the service: reports the longest computation of the main thread without a pause, and the memory, to the process that started it.
import { isMainThread } from 'node:worker_threads';

interface Disturbance {
  readonly blockMs: number;
  readonly holdMb: number;
}

const TICK_MS = 5;
const REPORT_MS = 50;
const WORK = `[${'{"name":"x","values":[1,2,3]},'.repeat(10_000)}{}]`;
const REPETITIONS = 20;

/** CPU time of the thread instead of time on the clock: other work of the machine does not count. */
const usage = process as unknown as { threadCpuUsage(before?: NodeJS.CpuUsage): NodeJS.CpuUsage };

if (isMainThread && process.send !== undefined) {
  let longestMs = 0;
  let peakMb = 0;
  let yardstickMs = 0;
  let before = usage.threadCpuUsage();
  const reset = (): void => {
    longestMs = 0;
    peakMb = 0;
    yardstickMs = measureWork();
    before = usage.threadCpuUsage();
  };
  setInterval(() => {
    longestMs = Math.max(longestMs, cpuMs(before));
    before = usage.threadCpuUsage();
  }, TICK_MS).unref();
  setInterval(() => {
    peakMb = Math.max(peakMb, residentMb());
    process.send?.({ longestMs, peakMb, yardstickMs });
  }, REPORT_MS).unref();
  process.on('message', (order: 'reset' | Disturbance) => {
    if (order === 'reset') reset();
    else peakMb = Math.max(peakMb, disturb(order));
  });
  process.channel?.unref();
}

/** Returns the milliseconds that this machine needs, in its present state, for a fixed piece of work. */
function measureWork(): number {
  const from = usage.threadCpuUsage();
  for (let count = 0; count < REPETITIONS; count += 1) JSON.parse(WORK);
  return cpuMs(from);
}

/** The control: computes and holds memory, which the suite must notice. Returns the resident memory meanwhile. */
function disturb({ blockMs, holdMb }: Disturbance): number {
  const held = Buffer.alloc(holdMb * 2 ** 20, 1);
  const from = usage.threadCpuUsage();
  while (cpuMs(from) < blockMs);
  const resident = residentMb();
  // Read after the measurement, so that it is not freed before.
  held.at(-1);
  return resident;
}

function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = usage.threadCpuUsage(before);
  return (user + system) / 1000;
}

function residentMb(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}
