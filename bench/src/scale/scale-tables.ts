import { formatNumber, layOut } from '../format.ts';
import { medianOf, type Results, type Row } from '../results.ts';
import { DURABLE, EMBEDDED, nameOf, ON_POSTGRES, type Combination } from './combinations.ts';
import { measuredNetwork, type Costs } from './costs.ts';
import { JOB_ENGINES } from './measure-job-layer.ts';
import { planFor, type Plan, type PlannedLoad } from './plan.ts';
import { predict } from './queueing-model.ts';

const MODEL_SECONDS = 4;
const TOOL_SECONDS = 1;
const PLANNED_RUNS = [100, 1000, 10_000];

/** A combination and its figures. */
export interface Point {
  readonly combination: Combination;
  readonly row: Row;
}

/** Runs that are started at once, on a machine with this number of cores. */
export interface MeasuredLoad {
  readonly cores: number;
  readonly runs: number;
}

/** Runs per second, CPU time and pickup latency of every combination. */
export function curveTable(points: readonly Point[]): string {
  const header = [
    'store, queue: processes',
    'runs/s',
    'turns/s',
    'CPU ms of a turn, service',
    'engines',
    'pickup p50, ms',
    'p99, ms',
    'p99 with all runs, ms',
  ];
  const figures = [
    ['runsPerSecond', 1],
    ['turnsPerSecond', 0],
    ['serviceMs', 2],
    ['enginesMs', 2],
    ['pickup50Alone', 0],
    ['pickup99Alone', 0],
    ['pickup99', 0],
  ] as const;
  return layOut([
    header,
    ...points.map(({ combination, row }) => [
      nameOf(combination),
      ...figures.map(([figure, digits]) => formatNumber(medianOf(row, figure), digits)),
    ]),
  ]);
}

/** A turn on PostgreSQL beside a turn on SQLite, each in one process. */
export function storeTable(points: readonly Point[]): string {
  const figureOf = (combination: Combination, figure: string): number => {
    const point = points.find((each) => nameOf(each.combination) === nameOf(combination));
    return point === undefined ? Number.NaN : medianOf(point.row, figure);
  };
  const line = (title: string, valueOf: (combination: Combination) => number) => {
    const [sqlite, durable, postgres] = [EMBEDDED, DURABLE, ON_POSTGRES].map(valueOf) as [
      number,
      number,
      number,
    ];
    const figures = [sqlite, durable, postgres, postgres / sqlite, postgres / durable];
    return [title, ...figures.map((figure) => formatNumber(figure, 2)), '2.50'];
  };
  const of = (figure: string) => (combination: Combination) => figureOf(combination, figure);
  return layOut([
    [
      'a turn',
      'SQLite',
      'SQLite, durability power',
      'PostgreSQL',
      'PostgreSQL / SQLite',
      'PostgreSQL / durability power',
      'target',
    ],
    line('CPU ms of the service, one run after the other', of('serviceMsAlone')),
    line('CPU ms of the service, all runs at once', of('serviceMs')),
    line('with the CPU of the database, one run after the other', (combination) =>
      plus(figureOf(combination, 'serviceMsAlone'), figureOf(combination, 'enginesMsAlone')),
    ),
    line('with the CPU of the database, all runs at once', (combination) =>
      plus(figureOf(combination, 'serviceMs'), figureOf(combination, 'enginesMs')),
    ),
    line('ms, one run after the other', of('turnMs')),
    line(
      'ms for each turn, all runs at once',
      (combination) => 1000 / figureOf(combination, 'turnsPerSecond'),
    ),
  ]);
}

const plus = (first: number, second: number): number => first + second;

/** Our job queue beside BullMQ alone. */
export function jobTable(results: Results): string {
  const of = (engine: string, variant: string, figure: string): number =>
    results.medianOf('jobs', { implementation: engine, variant }, figure);
  return layOut([
    [
      'BullMQ on',
      'CPU µs of a job, Signalbox',
      'BullMQ, same options',
      'ratio',
      'target',
      'BullMQ, its own options',
      'jobs/s, Signalbox',
      'BullMQ, same options',
    ],
    ...JOB_ENGINES.map(({ engine }) => {
      const [ours, bare] = [
        of(engine, 'signalbox', 'cpuMicros'),
        of(engine, 'bullmq', 'cpuMicros'),
      ];
      return [
        engine === 'redis' ? 'Redis' : 'PostgreSQL',
        formatNumber(ours, 0),
        formatNumber(bare, 0),
        formatNumber(ours / bare, 2),
        '1.50',
        formatNumber(of(engine, 'defaults', 'cpuMicros'), 0),
        formatNumber(of(engine, 'signalbox', 'perSecond'), 0),
        formatNumber(of(engine, 'bullmq', 'perSecond'), 0),
      ];
    }),
  ]);
}

/** Time from a request to cancel until the tool call is aborted. */
export function cancellationTable(points: readonly Point[]): string {
  return layOut([
    ['store, queue: processes', 'p50, ms', 'p99, ms', 'longest, ms', 'target of p99'],
    ...points.map(({ combination, row }) => [
      nameOf(combination),
      ...['cancel50', 'cancel99', 'cancelMax'].map((figure) =>
        formatNumber(medianOf(row, figure), 1),
      ),
      '300',
    ]),
  ]);
}

/** Measured turns per second beside those of the queueing model. */
export function checkTable(points: readonly Point[], measured: MeasuredLoad): string {
  return layOut([
    ['store, queue: processes', 'turns/s measured', 'predicted', 'error', 'saturated'],
    ...points.map(({ combination, row }) => {
      const { throughput, bottleneck } = predictMeasured({ combination, row }, measured);
      const actual = medianOf(row, 'turnsPerSecond');
      return [
        nameOf(combination),
        formatNumber(actual, 0),
        formatNumber(throughput, 0),
        `${formatNumber((throughput / actual - 1) * 100, 0)} %`,
        bottleneck,
      ];
    }),
  ]);
}

/** Predicts a measured point. All processes share the cores of one machine. */
export function predictMeasured(
  { combination, row }: Point,
  { cores, runs }: MeasuredLoad,
): { readonly throughput: number; readonly bottleneck: string } {
  const network = measuredNetwork(row, combination, cores);
  const { throughput, bottleneck } = predict(network, runs);
  const machine = cores / network.stations.reduce((sum, { demand }) => sum + demand, 0);
  return throughput < machine
    ? { throughput, bottleneck }
    : { throughput: machine, bottleneck: 'cores of the machine' };
}

/** Turns per second at which each part is saturated. */
export function limitTable(costs: Costs): string {
  const line = (part: string, demand: number): readonly string[] => [
    part,
    formatNumber(demand * 1000, 2),
    formatNumber(1 / demand, 0),
  ];
  return layOut([
    ['part', 'CPU ms of a turn', 'turns/s when saturated'],
    line('API process', costs.api),
    line('worker', costs.worker),
    line('core of PostgreSQL', costs.postgres),
    line('Redis', costs.redis),
  ]);
}

/** Deployments for growing loads. */
export function planTable(costs: Costs): string {
  const loads: readonly PlannedLoad[] = PLANNED_RUNS.map((runs) => ({
    runs,
    modelSeconds: MODEL_SECONDS,
    toolSeconds: TOOL_SECONDS,
  }));
  const plans = loads.map((load) => planFor(costs, load));
  const line = (title: string, digits: number, valueOf: (plan: Plan) => number) => [
    title,
    ...plans.map((plan) => formatNumber(valueOf(plan), digits)),
  ];
  return layOut([
    [
      `runs at once, ${String(MODEL_SECONDS)} s of model and ${String(TOOL_SECONDS)} s of tools a turn`,
      ...PLANNED_RUNS.map((runs) => formatNumber(runs, 0)),
    ],
    line('turns/s', 0, (plan) => plan.turnsPerSecond),
    line('workers, a core each', 0, (plan) => plan.workers),
    line('API processes, a core each', 0, (plan) => plan.apis),
    line('memory of these processes, GiB', 1, (plan) => plan.serviceGib),
    line('model calls at once in a worker', 0, (plan) => plan.modelCallsPerWorker),
    line('tool calls at once in a worker', 0, (plan) => plan.toolCallsPerWorker),
    line('PostgreSQL: cores', 0, (plan) => plan.postgresCores),
    line('PostgreSQL: connections', 0, (plan) => plan.postgresConnections),
    line('PostgreSQL: transactions/s, with single reads', 0, (plan) => plan.transactionsPerSecond),
    line('Redis: servers, a core each', 0, (plan) => plan.redisServers),
    line('Redis: commands/s', 0, (plan) => plan.redisCommandsPerSecond),
    line(
      'ms that the service adds to a turn',
      0,
      (plan) => (plan.predicted.residence + costs.waiting) * 1000,
    ),
    [
      'busiest part',
      ...plans.map(
        ({ predicted }) =>
          `${predicted.bottleneck}, ${formatNumber(predicted.utilization * 100, 0)} %`,
      ),
    ],
  ]);
}
