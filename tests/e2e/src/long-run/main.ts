import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Guard } from './fleet.ts';
import { longRun, type LongRunOptions, type LongRunResult } from './long-run.ts';

// npm run long-run: runs through one API process and two workers that are killed, frozen and started again at random. The controls follow: a few runs that must fail with a guard
// switched off. `-- --seed=7 --runs=50 --turns=5 --no-controls` chooses.
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    turns: { type: 'string', default: '10' },
    parallel: { type: 'string', default: '40' },
    'pace-ms': { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    'guard-off': { type: 'string' },
    'no-controls': { type: 'boolean', default: false },
  },
});
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const options: LongRunOptions = {
  runs: Number(values.runs),
  turns: Number(values.turns),
  parallel: Number(values.parallel),
  paceMs: Number(values['pace-ms']),
  seed: Number(values.seed),
  disruptions: 'random',
  guardOff: values['guard-off'] as Guard | undefined,
  limitMs: 20 * 60_000,
};

/** Returns the CPU time of the processes that ended, without their servers. Only Linux tells. */
function childrenCpuS(): number | undefined {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return undefined;
  }
}

const show = (result: LongRunResult): void => {
  const { disruptions, responses, errors } = result;
  print(
    `${(result.durationMs / 1000).toFixed(0)} s, ${result.events} events over ${result.streams} streams, ${result.interruptedTurns} interrupted model calls`,
  );
  print(`disruptions: ${list(disruptions)}`);
  print(`calls with an unknown outcome, by response: ${list(new Map(Object.entries(responses)))}`);
  for (const [text, count] of errors) print(`log: ${count} × ${text}`);
  for (const problem of result.problems.slice(0, 30)) print(`PROBLEM ${problem.slice(0, 600)}`);
};
const list = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'none';

print(`${options.runs} runs × ${options.turns} turns, seed ${options.seed}`);
let lastShown = performance.now();
const result = await longRun({
  ...options,
  onProgress(text) {
    if (performance.now() < lastShown + 10_000) return;
    lastShown = performance.now();
    print(text);
  },
});
show(result);
let isPassed = result.problems.length === 0;
print(isPassed ? 'ok' : `FAIL: ${result.problems.length} problems`);
const { user, system } = process.cpuUsage();
print(
  `CPU: ${((user + system) / 1e6).toFixed(0)} s of the test and ${childrenCpuS()?.toFixed(0) ?? 'unknown'} s of the processes`,
);
if (!values['no-controls'])
  for (const guardOff of ['ledger', 'lease'] as const) {
    const control = await longRun({
      ...options,
      runs: 20,
      turns: 4,
      parallel: 10,
      paceMs: 400,
      disruptions: 'freeze',
      guardOff,
      limitMs: 60_000,
    });
    const isHarmful = control.problems.length > 0;
    isPassed &&= isHarmful;
    print(
      `${isHarmful ? 'ok  ' : 'FAIL'} control: without the ${guardOff}: ${control.problems.at(0)?.slice(0, 300) ?? 'no problem'}`,
    );
  }
process.exitCode = isPassed ? 0 : 1;
