import { parseArgs } from 'node:util';
import { runFuzz, type FuzzPlan } from '../src/testing/run-fuzz.ts';

const { values } = parseArgs({
  options: { statements: { type: 'string', default: '200000' }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const statements = Number(values.statements);
const failures: string[] = [];

const guarded = [
  { mode: 'read', isReadOnly: true, share: 0.5 },
  { mode: 'read', isReadOnly: false, share: 0.25 },
  { mode: 'write', isReadOnly: false, share: 0.25 },
] as const;
for (const { share, ...plan } of guarded)
  failures.push(...(await run({ ...plan, statements: Math.ceil(statements * share), seed })));
const controls = [
  { mode: 'read-without-tokens', isReadOnly: true },
  { mode: 'read-unchecked', isReadOnly: true },
  { mode: 'read-unchecked', isReadOnly: false },
] as const;
for (const plan of controls) {
  const problems = await run({ ...plan, statements, seed });
  if (problems.length === 0) failures.push(`the control ${plan.mode} did no harm`);
}

for (const failure of failures) process.stderr.write(`fuzz: ${failure}\n`);
process.stdout.write(failures.length === 0 ? 'fuzz: OK\n' : 'fuzz: FAILED\n');
process.exit(failures.length === 0 ? 0 : 1);

async function run(plan: FuzzPlan): Promise<readonly string[]> {
  const startedMs = performance.now();
  const outcome = await runFuzz(plan);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const connection = plan.isReadOnly ? 'a read-only' : 'a writable';
  process.stdout.write(
    `${plan.mode} on ${connection} connection, seed ${plan.seed}: up to ${plan.statements} statements, ${outcome.run} ran, ${outcome.stopped} stopped, longest ${outcome.longestMs.toFixed(0)} ms, ${seconds} s; ${outcome.problems[0] ?? 'no harm'}\n`,
  );
  return outcome.problems;
}
