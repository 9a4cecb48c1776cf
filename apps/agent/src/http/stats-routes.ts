import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as z from 'zod';
import type { Latency, RunPlace } from '../ports/store/stats.ts';
import { described } from './described.ts';
import { pageInOrder } from './page-in-order.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { RunStats, type StatsSpan } from './run-stats.ts';
import { ProblemDetails } from './response-schemas.ts';
import { MAX_INTERVALS, StatsQuery, WorkerQuery } from './stats-schemas.ts';
import { Queue, Stats, type Worker, WorkerList } from './stats-response-schemas.ts';
import { pageOf, pageOptions } from './views.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Runs that one answer counts. */
const MAX_RUNS = 50_000;
/** Model calls, and tool calls, that one answer measures. */
const MAX_LATENCIES = 100_000;
/** Rows of one read, which takes a few milliseconds. Other requests are served between two reads. */
const ROWS_PER_READ = 1000;

/** Statistics of runs, and the queue and the processes of the service. */
export function statsRoutes(
  app: HttpApp,
  { read, metrics, clock, store }: RouteDependencies,
): void {
  app.get(
    '/v1/stats',
    {
      schema: {
        summary: 'Statistics of runs over time',
        description: `Counts the runs that were created in a time span, the newest ${grouped(MAX_RUNS)} of them, by the interval of their creation, and measures the newest ${grouped(MAX_LATENCIES)} model calls and tool calls, by the interval in which they began.`,
        querystring: StatsQuery,
        response: described(() => ({ 200: Stats, 400: ProblemDetails })),
      },
    },
    async (request) => {
      const span = spanOf(request.query, clock.now());
      const { kind } = request.query;
      const stats = new RunStats(span);
      const isGone = (): boolean => request.raw.destroyed;
      const runs = await readNewest({
        read: (before: RunPlace | undefined) =>
          read.runFigures({ ...span, kind, before, limit: ROWS_PER_READ }),
        add: (run) => stats.add(run),
        max: MAX_RUNS,
        isGone,
      });
      const left: (number | undefined)[] = [];
      for (const calls of ['turns', 'tool calls'] as const) {
        // A run of kind `call` has no model call.
        if (calls === 'turns' && kind === 'call') continue;
        const last = await readNewest({
          read: (before: Latency | undefined) =>
            read.latencies({ ...span, of: calls, kind, before, limit: ROWS_PER_READ }),
          add: (latency) => stats.addLatency(calls, latency),
          max: MAX_LATENCIES,
          isGone,
        });
        left.push(last?.startedAt);
      }
      const latenciesFrom = Math.max(...left.map((time) => time ?? -Infinity));
      return stats.body({
        countedFrom: runs?.createdAt,
        latenciesFrom: latenciesFrom === -Infinity ? undefined : latenciesFrom,
      });
    },
  );

  app.get(
    '/v1/queue',
    {
      schema: {
        summary: 'Runs and jobs that wait or are in progress',
        response: described(() => ({ 200: Queue })),
      },
    },
    async () => {
      const count = (status: keyof z.output<typeof Queue>['runs']): Promise<number> =>
        read.countRuns({ status });
      const [queued, running, inputRequired, cancelling, jobs] = await Promise.all([
        count('queued'),
        count('running'),
        count('input_required'),
        count('cancelling'),
        metrics.waitingJobs(),
      ]);
      return {
        runs: { queued, running, input_required: inputRequired, cancelling },
        ...(jobs === undefined ? {} : { jobs: { ...jobs } }),
      };
    },
  );

  app.get(
    '/v1/workers',
    {
      schema: {
        summary: 'List the processes of the service',
        querystring: WorkerQuery,
        response: described(() => ({ 200: WorkerList, 400: ProblemDetails })),
      },
    },
    async (request) => {
      const page = pageInOrder(await read.workers(), ({ id }) => id, pageOptions(request.query));
      const loads = await read.workerLoads();
      const alive = new Map(
        await Promise.all(page.data.map(async ({ id }) => [id, await read.isAlive(id)] as const)),
      );
      return pageOf(page, ({ id, role, pid, startedAt, heartbeatAt }): z.output<typeof Worker> => {
        // A service of one process sends no heartbeats; this one is alive.
        const isThis = id === store.workerId;
        return {
          id,
          role,
          pid,
          started_at: new Date(startedAt).toISOString(),
          heartbeat_at: new Date(isThis ? clock.now() : heartbeatAt).toISOString(),
          is_alive: isThis || alive.get(id) === true,
          model_calls: loads.get(id)?.modelCalls ?? 0,
          tool_calls: loads.get(id)?.toolCalls ?? 0,
        };
      });
    },
  );
}

interface Reading<Row> {
  /** Returns rows before one, newest first. */
  readonly read: (before: Row | undefined) => Promise<readonly Row[]>;
  readonly add: (row: Row) => void;
  readonly max: number;
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
}

/** Reads at most `max` rows, newest first. Returns the last row if older rows are left out. */
async function readNewest<Row>({ read, add, max, isGone }: Reading<Row>): Promise<Row | undefined> {
  let before: Row | undefined;
  for (let count = 0; count < max && !isGone();) {
    const rows = await read(before);
    for (const row of rows) add(row);
    if (rows.length < ROWS_PER_READ) return undefined;
    count += rows.length;
    before = rows.at(-1);
    await nextTurn();
  }
  return before;
}

/** Returns the time span of a query. @throws Problem `invalid_request` */
function spanOf(
  { from: first, to: last, interval }: z.output<typeof StatsQuery>,
  now: number,
): StatsSpan {
  const to = last === undefined ? now : Date.parse(last);
  const from = first === undefined ? to - DAY_MS : Date.parse(first);
  const intervalMs = interval * 1000;
  if (from >= to)
    throw new Problem('invalid_request', 'the time span is empty', {
      errors: [{ path: '/query/from', message: 'must be before `to`' }],
    });
  if ((to - from) / intervalMs > MAX_INTERVALS)
    throw new Problem('invalid_request', 'the time span has too many intervals', {
      errors: [
        {
          path: '/query/interval',
          message: `must be at least ${Math.ceil((to - from) / MAX_INTERVALS / 1000)} for this time span`,
        },
      ],
    });
  return { from, to, intervalMs };
}

/** Returns a count such as `50,000`. `toLocaleString` would load the tables of `Intl` at each start: 10 ms and 5 MB. */
function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
