import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { describeLoad, describeMachine, isMachineQuiet } from '../machine.ts';
import { Results } from '../results.ts';
import {
  combinations,
  DURABLE,
  EMBEDDED,
  nameOf,
  ON_POSTGRES,
  type Combination,
} from './combinations.ts';
import { costsOf } from './costs.ts';
import { Engines } from './engines.ts';
import { measureCancellation } from './measure-cancellation.ts';
import { FULL_LOAD, measureCombination, QUICK_LOAD } from './measure-combination.ts';
import { JOB_ENGINES, measureJobLayer, VARIANTS } from './measure-job-layer.ts';
import { writeSections } from './report.ts';
import {
  cancellationTable,
  checkTable,
  curveTable,
  jobTable,
  limitTable,
  planTable,
  storeTable,
  type Point,
} from './scale-tables.ts';

const CANCELLATIONS = 100;
const PARTS = ['combinations', 'jobs', 'cancellation'];

/** Deployment on whose costs the plan is based. */
const PLANNED: Combination = { store: 'PostgreSQL', queue: 'Redis', workers: 2 };

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: PARTS.join(',') },
    match: { type: 'string', multiple: true, default: [''] },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const rounds = values.quick ? 1 : Number(values.rounds);
const load = values.quick ? QUICK_LOAD : FULL_LOAD;
const parts = values.only.split(',');
const unknown = parts.filter((part) => !PARTS.includes(part));
if (unknown.length > 0 || !(rounds >= 1))
  throw new Error(`--only takes ${PARTS.join(', ')}, and --rounds a number from 1`);

const begun = performance.now();
const isQuiet = await isMachineQuiet();
const machine = describeMachine();
const results = new Results();
/** Objects under which results are collected, one for each combination. */
const measured = combinations
  .filter((combination) => values.match.some((text) => nameOf(combination).includes(text)))
  .map((combination) => ({
    combination,
    run: { implementation: nameOf(combination), variant: '' },
  }));
const jobRuns = JOB_ENGINES.flatMap((each) =>
  VARIANTS.map((variant) => ({
    ...each,
    variant,
    run: { implementation: each.engine, variant },
  })),
);
const cancelled = measured.filter(
  ({ combination: { workers, isDurable } }) =>
    isDurable !== true && (workers === EMBEDDED.workers || workers === 1),
);

const progress = (round: number, text: string): void => {
  process.stderr.write(`round ${String(round)} of ${String(rounds)}: ${text}\n`);
};
{
  await using engines = await Engines.start();
  for (let round = 1; round <= rounds; round += 1) {
    for (const { combination, run } of parts.includes('combinations') ? measured : []) {
      progress(round, nameOf(combination));
      results.add(run, 'combinations', await measureCombination(engines, combination, load));
    }
    for (const { run, ...job } of parts.includes('jobs') ? jobRuns : []) {
      progress(round, `jobs, ${job.engine}, ${job.variant}`);
      results.add(run, 'jobs', await measureJobLayer(engines, job));
    }
    for (const { combination, run } of parts.includes('cancellation') ? cancelled : []) {
      progress(round, `cancellation, ${nameOf(combination)}`);
      results.add(
        run,
        'cancellation',
        await measureCancellation(engines, combination, CANCELLATIONS),
      );
    }
  }
}

const pointsOf = (table: string): readonly Point[] =>
  measured.flatMap(({ combination, run }) => {
    const row = results
      .rowsOf(table)
      .find(({ implementation }) => implementation === run.implementation);
    return row === undefined ? [] : [{ combination, row }];
  });
const points = pointsOf('combinations');
const planned = points.find(({ combination }) => nameOf(combination) === nameOf(PLANNED));
const minutes = ((performance.now() - begun) / 60_000).toFixed(0);
const note = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}; ${String(load.atOnce)} runs at once; medians of ${String(rounds)} ${rounds === 1 ? 'round' : 'rounds'} in ${minutes} minutes, load average at the end ${describeLoad()}.${isQuiet ? '' : ' **Other work was done on the machine meanwhile: the figures are too high, and differences of less than a third mean nothing.**'}`;
const sections = new Map<string, string>();
const has = (...wanted: readonly Combination[]): boolean =>
  wanted.every((each) => points.some(({ combination }) => nameOf(combination) === nameOf(each)));
if (has(...combinations)) {
  const curve = points.filter(({ combination }) => combination.isDurable !== true);
  sections.set('curve', `${note}\n\n${curveTable(curve)}`);
  sections.set('check', checkTable(curve, { cores: availableParallelism(), runs: load.atOnce }));
}
if (has(EMBEDDED, DURABLE, ON_POSTGRES)) sections.set('store', `${note}\n\n${storeTable(points)}`);
if (planned !== undefined) {
  const costs = costsOf(planned.row);
  sections.set('limits', `${note}\n\n${limitTable(costs)}`);
  sections.set('plan', planTable(costs));
}
if (parts.includes('jobs')) sections.set('jobs', `${note}\n\n${jobTable(results)}`);
if (parts.includes('cancellation'))
  sections.set('cancellation', `${note}\n\n${cancellationTable(pointsOf('cancellation'))}`);
for (const [name, text] of sections) process.stdout.write(`## ${name}\n\n${text}\n\n`);
if (values.write) await writeSections(sections);
