// npm run fuzz -- [--messages 1000000] [--seed 1] [--target stdio] [--control]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { breakGuard, guards, NO_SUCH_GUARD } from './broken-guards.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string' },
    /** Shows that the fuzzer fails when a guard is gone, one guard after the other. */
    control: { type: 'boolean', default: false },
    'without-guard': { type: 'string' },
  },
});
const report = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

if (values.control) {
  const unnoticed = Object.keys(guards).filter((name) => !isNoticed(name));
  if (unnoticed.length > 0) throw new Error(`not noticed: ${unnoticed.join(', ')}`);
} else {
  if (values['without-guard'] !== undefined) breakGuard(values['without-guard']);
  // What is fuzzed is loaded after a guard was taken out.
  const { fuzz } = await import('./fuzz.ts');
  const { httpTarget } = await import('./http-target.ts');
  const { inMemoryTarget } = await import('./in-memory-target.ts');
  const { stdioTarget } = await import('./stdio-target.ts');
  const targets = [stdioTarget, inMemoryTarget, httpTarget].filter(
    ({ name }) => values.target === undefined || values.target === name,
  );
  for (const target of targets)
    await fuzz(target, {
      messages: Math.ceil(Number(values.messages) / targets.length),
      seed: Number(values.seed),
      report,
    });
}

function isNoticed(guard: string): boolean {
  const args = [
    '--conditions=@signalbox/source',
    fileURLToPath(import.meta.url),
    '--without-guard',
    guard,
    '--messages',
    '60000',
    '--target',
    'stdio',
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const reason = String(/^\S*Error: .*$/mu.exec(stderr)?.[0]);
  // A guard that is not where it is looked for was not taken out.
  const isMissing = reason.includes(NO_SUCH_GUARD);
  report(
    `without ${guard}: ${status === 0 ? 'NOT NOTICED' : `${isMissing ? 'NOT TRIED' : 'noticed'}: ${reason}`}`,
  );
  return status !== 0 && !isMissing;
}
