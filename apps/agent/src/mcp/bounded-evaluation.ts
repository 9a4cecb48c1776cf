import { createContext, Script } from 'node:vm';

/** Synchronous work took longer than it may. */
export class EvaluationTimeoutError extends Error {
  constructor(limitMs: number, options: { cause: unknown }) {
    super(`took longer than ${limitMs} ms`, options);
    this.name = 'EvaluationTimeoutError';
  }
}

/** Runs synchronous work and interrupts it after `limitMs`, be it in a loop, in recursion or inside a regular expression. */
export type BoundedEvaluation = <T>(limitMs: number, work: () => T) => T;

/**
 * Costs about 0.1 ms per evaluation. What the work had changed when it was interrupted must be thrown away.
 * The returned function throws `EvaluationTimeoutError`, or what the work throws.
 */
export function createBoundedEvaluation(): BoundedEvaluation {
  const sandbox: { run?: () => unknown } = {};
  const context = createContext(sandbox);
  const script = new Script('run()');
  return <T>(limitMs: number, work: () => T): T => {
    sandbox.run = work;
    try {
      // The script returns what `work` returns.
      return script.runInContext(context, { timeout: limitMs }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new EvaluationTimeoutError(limitMs, { cause: error });
      throw error;
    } finally {
      delete sandbox.run;
    }
  };
}
