import { parseArgs } from 'node:util';
import { runCrashes, type CrashPlan } from '../src/testing/run-crashes.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const kills = Number(values.kills);
const failures: string[] = [];

for (const journalMode of ['DELETE', 'WAL'] as const) {
  const problems = await run(journalMode, { kills: kills / 2, seed, journalMode, isGuarded: true });
  failures.push(...problems);
}
const control = await run('control, without a journal', {
  kills,
  seed,
  journalMode: 'DELETE',
  isGuarded: false,
});
if (control.length === 0)
  failures.push('the kills did not damage the control, so they prove nothing');

for (const failure of failures) process.stderr.write(`crash: ${failure}\n`);
process.stdout.write(failures.length === 0 ? 'crash: OK\n' : 'crash: FAILED\n');
process.exit(failures.length === 0 ? 0 : 1);

async function run(name: string, plan: CrashPlan): Promise<readonly string[]> {
  const { applied, notApplied, unknown, problems } = await runCrashes(plan);
  process.stdout.write(
    `${name}, seed ${plan.seed}: ${applied} writes applied, ${notApplied} not applied, ${unknown} unknown; ${problems.length} problems${problems.length > 0 ? `: ${problems[0] ?? ''}` : ''}\n`,
  );
  return problems;
}
