import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { hasPostgres } from '../../../peers/src/postgres-engine.ts';
import { hasRedis } from '../../../peers/src/redis-server.ts';
import { chaos, type ChaosOptions } from './chaos.ts';
import { controls, type Control } from './controls.ts';
import { QUEUES, STORES } from './environment.ts';
import { FAULTS, kindsFor, type FaultKind } from './faults.ts';
import { tableOf, type ChaosReport } from './report.ts';

// npm run chaos: runs through API processes and workers, which faults kill, freeze and disconnect, with their database and their Redis. The controls follow: a few runs that must fail
// with a guard switched off. `-- --seed 7 --runs 500` chooses; `--only runs` leaves out the controls, `--only controls` the runs, `--only TEXT` takes controls whose name contains the text;
// `--json FILE` writes the report.
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    turns: { type: 'string', default: '5' },
    parallel: { type: 'string', default: '24' },
    'pace-ms': { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    store: { type: 'string', default: 'postgres' },
    queue: { type: 'string' },
    apis: { type: 'string', default: '2' },
    workers: { type: 'string', default: '3' },
    faults: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
/** Number of seeds that a control may take to find its harm. */
const CONTROL_SEEDS = 5;
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const store = oneOf('store', values.store, STORES);
const queue = oneOf(
  'queue',
  values.queue ?? (store === 'postgres' ? 'bullmq-redis' : 'memory'),
  QUEUES,
);
/** Whether part of the command was chosen: the runs, all controls, or controls by a part of their name. */
const isChosen = (part: 'runs' | 'controls', name = ''): boolean =>
  values.only === undefined ||
  values.only === part ||
  (part === 'controls' && values.only !== 'runs' && name.includes(values.only));
if (store === 'postgres' && !hasPostgres) fail('npm has no PostgreSQL for this platform');
if (queue === 'bullmq-redis' && !hasRedis) fail('redis-server is not installed');
if (queue === 'bullmq-postgres' && store !== 'postgres')
  fail('--queue bullmq-postgres needs --store postgres');
const interrupted = new AbortController();
const options: ChaosOptions = {
  store,
  queue,
  runs: Number(values.runs),
  turns: Number(values.turns),
  parallel: Number(values.parallel),
  paceMs: Number(values['pace-ms']),
  seed: Number(values.seed),
  apis: Number(values.apis),
  workers: Number(values.workers),
  kinds:
    values.faults === undefined
      ? kindsFor({ store, queue })
      : values.faults
          .split(',')
          .map((kind) => oneOf('faults', kind, Object.keys(FAULTS) as FaultKind[])),
  faultsPerBurst: 3,
  hasSkew: true,
  limitMs: 30 * 60_000,
  signal: interrupted.signal,
};
let isPassed = true;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());

if (isChosen('runs')) {
  print(
    `${options.runs} runs of ${options.turns} model calls, ${options.apis} API processes and ${options.workers} workers on ${store} and ${queue}, seed ${options.seed}`,
  );
  let lastShown = performance.now();
  const report = await chaos({
    ...options,
    onProgress(text) {
      if (performance.now() < lastShown + 10_000) return;
      lastShown = performance.now();
      print(text);
    },
    onBurst({ text, runs, recoveryMs, slowness, problems }) {
      if (values.verbose || problems.length > 0)
        print(
          `${text}: ${runs} runs continued within ${(recoveryMs / 1000).toFixed(1)} s${slowness > 1 ? `, on a machine that is ${slowness.toFixed(1)} times slower than alone` : ''}`,
        );
    },
  });
  isPassed = show(report);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ ...options, ...report }, undefined, 2)}\n`);
}
for (const { name, options: more, harm } of controls) {
  if (!isChosen('controls', name) || !more.kinds.every((kind) => isPossible(kind))) continue;
  const { found, problems } = await tryControl({ options: more, harm });
  isPassed &&= found !== undefined;
  print(
    `${found === undefined ? 'FAIL' : 'ok  '} control: ${name}: ${(found ?? problems.at(0) ?? 'no problem').slice(0, 300)}`,
  );
}
process.exitCode = isPassed ? 0 : 1;

/** Runs a control until it finds its harm, with up to five seeds: whether a fault meets what the guard protects is chance. */
async function tryControl({ options: more, harm }: Pick<Control, 'options' | 'harm'>): Promise<{
  readonly found: string | undefined;
  readonly problems: readonly string[];
}> {
  const problems: string[] = [];
  for (let seed = options.seed; seed < options.seed + CONTROL_SEEDS; seed += 1) {
    const harmed = new AbortController();
    const report = await chaos({
      ...options,
      ...more,
      seed,
      signal: AbortSignal.any([interrupted.signal, harmed.signal]),
      onBurst(burst) {
        if (burst.problems.some((problem) => harm.test(problem))) harmed.abort();
      },
      hasSkew: false,
      runs: 24,
      parallel: 12,
      paceMs: 300,
      faultsPerBurst: 1,
      patienceMs: 12_000,
      limitMs: 60_000,
    });
    const found = report.problems.find((problem) => harm.test(problem));
    if (found !== undefined || interrupted.signal.aborted) return { found, problems };
    problems.push(...report.problems);
  }
  return { found: undefined, problems };
}

function show(report: ChaosReport): boolean {
  const { problems } = report;
  process.stdout.write(tableOf(report));
  for (const problem of problems.slice(0, 30)) print(`PROBLEM ${problem.slice(0, 600)}`);
  print(problems.length === 0 ? 'ok' : `FAIL: ${problems.length} problems`);
  return problems.length === 0;
}

function isPossible(kind: FaultKind): boolean {
  return kind === 'migrate-in-use' || kindsFor({ store, queue }).includes(kind);
}

function oneOf<const T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) fail(`--${name} must be one of ${allowed.join(', ')}, not ${value}`);
  return found;
}

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
