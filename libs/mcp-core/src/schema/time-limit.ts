/** Runs synchronous work and interrupts it, be it in a loop, in recursion or inside a regular expression. What the work had changed by then must be thrown away. */
export type TimeLimit = <T>(work: () => T) => T;

/** Synchronous work took longer than it may. */
export class TimeLimitError extends Error {
  constructor(limitMs: number, cause: unknown) {
    super(`took longer than ${String(limitMs)} ms`, { cause });
    this.name = 'TimeLimitError';
  }
}

/** Each run costs about 0.1 ms, which goes into a watchdog. The limit throws `TimeLimitError`, or what the work throws. */
export async function createTimeLimit(limitMs: number): Promise<TimeLimit> {
  const { createContext, Script } = await import('node:vm');
  const sandbox: { work?: () => unknown } = {};
  const context = createContext(sandbox);
  const script = new Script('work()');
  return <T>(work: () => T): T => {
    sandbox.work = work;
    try {
      // The script returns what the work returns.
      return script.runInContext(context, { timeout: limitMs }) as T;
    } catch (error) {
      // The error comes from the other context, whose Error is not ours.
      if ((error as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TimeLimitError(limitMs, error);
      throw error;
    } finally {
      delete sandbox.work;
    }
  };
}
