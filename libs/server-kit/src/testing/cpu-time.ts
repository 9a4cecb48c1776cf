/** Returns the processor time in milliseconds that the calling thread has used. Differences do not depend on the load of the machine. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Waits until `work` settles, and returns the most processor time in milliseconds that passed without a turn of the event loop. */
export async function longestBlockMs(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadCpuMs();
  const measure = () => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measure, 1);
  await work.catch(() => undefined);
  clearInterval(timer);
  measure();
  return longest;
}
