import { WorkerEvaluator } from '../worker-evaluator.ts';

/** Evaluates a pattern. Run as a process. */
const problems = await new WorkerEvaluator().check(
  { properties: { a: { pattern: '^x' } } },
  { a: 'y' },
);
process.stdout.write(JSON.stringify(problems));
