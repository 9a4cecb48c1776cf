import { WorkerEvaluator } from '../schema-evaluator.ts';

/** Run as a process: evaluates a pattern and does nothing more. */
const problems = await new WorkerEvaluator().check(
  { properties: { a: { pattern: '^x' } } },
  { a: 'y' },
);
process.stdout.write(JSON.stringify(problems));
