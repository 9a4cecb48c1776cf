/**
 * Runs `work` one at a time: requests made during a run share one more run, which follows it after `pause`. The promise of a request settles as
 * the run that began after it does.
 */
export function coalesce(
  work: () => Promise<void>,
  pause: () => Promise<void>,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  const run = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  const follow = async (): Promise<void> => {
    await running?.catch(() => undefined);
    await pause();
    following = undefined;
    return run();
  };
  return () => {
    if (following !== undefined) return following;
    if (running === undefined) return run();
    following = follow();
    return following;
  };
}
