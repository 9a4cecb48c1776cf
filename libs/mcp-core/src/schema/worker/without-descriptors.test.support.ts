import { closeSync, openSync } from 'node:fs';
import { WorkerEvaluator } from '../worker-evaluator.ts';

/**
 * Opens all free descriptors, evaluates, closes them and evaluates again. Run as a process with few
 * descriptors.
 */
const evaluator = new WorkerEvaluator();
const check = async (schema: { readonly [keyword: string]: unknown }): Promise<unknown> => {
  try {
    return await evaluator.check(schema, 'y');
  } catch (error) {
    return (error as Error).name;
  }
};

const pattern = { pattern: '^x' };
const descriptors = takeAll();
const without = await check(pattern);
const ordinary = await check({ type: 'string' });
for (const descriptor of descriptors) closeSync(descriptor);
process.stdout.write(JSON.stringify({ without, ordinary, after: await check(pattern) }));

function takeAll(): readonly number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    return taken;
  }
}
