/**
 * Runs `work` one at a time. Requests during a run share one further run, which starts `pause`
 * later. The promise of a request settles with the next run that begins.
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
