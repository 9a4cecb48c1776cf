// Loaded into the service before its own code: reports how long the main thread computed without a pause, and its memory, to the process that started it.
import { isMainThread } from 'node:worker_threads';

interface Disturbance {
  readonly blockMs: number;
  readonly holdMb: number;
}

const TICK_MS = 5;
const REPORT_MS = 50;

/** CPU time of the thread, not time on the clock: a machine that does other work does not look like a blocked loop. */
const usage = process as unknown as { threadCpuUsage(before?: NodeJS.CpuUsage): NodeJS.CpuUsage };

if (isMainThread && process.send !== undefined) {
  let longestMs = 0;
  let peakMb = 0;
  let before = usage.threadCpuUsage();
  setInterval(() => {
    const { user, system } = usage.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = usage.threadCpuUsage();
  }, TICK_MS).unref();
  setInterval(() => {
    peakMb = Math.max(peakMb, residentMb());
    process.send?.({ longestMs, peakMb });
  }, REPORT_MS).unref();
  process.on('message', (order: 'reset' | Disturbance) => {
    if (order === 'reset') {
      longestMs = 0;
      peakMb = 0;
      before = usage.threadCpuUsage();
    } else {
      peakMb = Math.max(peakMb, disturb(order));
    }
  });
  process.channel?.unref();
}

/** The control: computes and holds memory, which the suite must notice. Returns the resident memory meanwhile. */
function disturb({ blockMs, holdMb }: Disturbance): number {
  const held = Buffer.alloc(holdMb * 2 ** 20, 1);
  const from = usage.threadCpuUsage();
  while (usage.threadCpuUsage(from).user < blockMs * 1000);
  const resident = residentMb();
  held.fill(2);
  return resident;
}

function residentMb(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}
