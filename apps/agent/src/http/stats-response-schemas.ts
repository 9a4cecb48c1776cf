import * as z from 'zod';
import { time } from './response-schemas.ts';

const percentiles = z
  .object({ p50: z.int(), p95: z.int() })
  .optional()
  .describe('Milliseconds; absent without a value');

const counts = {
  runs: z.int().describe('Created in the time span'),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  expired: z.int(),
  turns: z.int().describe('Model calls with their tool calls'),
  tool_calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number().describe('Cost of the runs whose price is known'),
};

const latencies = {
  turn_ms: percentiles.describe(
    'Milliseconds of the completed model calls that began in the time span, by the time they began',
  ),
  call_ms: percentiles.describe(
    'Milliseconds from the sending to the end of the tool calls that succeeded or failed, by the time they were sent, with the time their servers waited for a person',
  ),
};

export const StatsInterval = z
  .object({
    at: time.describe('Start of the interval'),
    ...counts,
    queued_ms: percentiles.describe('Milliseconds from the creation to the start of a run'),
    duration_ms: percentiles.describe(
      'Milliseconds from the start to the end of a run, without the time spent waiting for a person',
    ),
    ...latencies,
  })
  .meta({ id: 'StatsInterval' });

export const Stats = z
  .object({
    from: time,
    to: time,
    interval: z.int().describe('Seconds'),
    intervals: z.array(StatsInterval).describe('Every interval, oldest first'),
    total: z.object({
      ...counts,
      queued_ms: percentiles,
      duration_ms: percentiles,
      ...latencies,
    }),
    unpriced_runs: z.int().describe('Runs with tokens whose cost is not known'),
    models: z
      .array(
        z.object({
          model: z.string().describe('provider/model'),
          runs: z.int(),
          input_tokens: z.int(),
          output_tokens: z.int(),
          cost_usd: z.number(),
        }),
      )
      .describe('The 20 models with the most tokens'),
    errors: z
      .array(z.object({ code: z.string(), runs: z.int() }))
      .describe('The 20 most frequent error codes of runs'),
    counted_from: time
      .optional()
      .describe('Present if there are more runs than are counted; the older ones are left out'),
    latencies_from: time
      .optional()
      .describe(
        'Present if there are more model calls or tool calls than are measured; the older ones are left out of `turn_ms` and `call_ms`',
      ),
  })
  .meta({ id: 'Stats' });

export const Queue = z
  .object({
    runs: z
      .object({
        queued: z.int(),
        running: z.int(),
        input_required: z.int(),
        cancelling: z.int(),
      })
      .describe('Runs that are not settled, by status'),
    jobs: z
      .record(z.string(), z.int())
      .optional()
      .describe(
        'Waiting jobs by type, delayed ones included; absent while the queue does not answer',
      ),
  })
  .meta({ id: 'Queue' });

export const Worker = z
  .object({
    id: z.string(),
    role: z.enum(['api', 'worker', 'all']),
    pid: z.int(),
    started_at: time,
    heartbeat_at: time,
    is_alive: z.boolean().describe('false: its lease is over, and other workers continue its runs'),
    model_calls: z.int().describe('Model calls in progress'),
    tool_calls: z.int().describe('Tool calls in progress'),
  })
  .meta({ id: 'Worker' });

export const WorkerList = z
  .object({ data: z.array(Worker), next_cursor: z.string().optional() })
  .meta({ id: 'WorkerList' });
