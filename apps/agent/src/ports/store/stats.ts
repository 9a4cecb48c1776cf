import type { Run } from './run.ts';

/** Columns of a run that statistics count, without its texts. */
export type RunFigures = Pick<
  Run,
  | 'id'
  | 'kind'
  | 'status'
  | 'provider'
  | 'model'
  | 'turns'
  | 'toolCalls'
  | 'usage'
  | 'error'
  | 'waitedMs'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
>;

/** Place of a run among the runs by creation time. */
export type RunPlace = Pick<Run, 'id' | 'createdAt'>;

/** Runs that were created in a time span, in milliseconds since the Unix epoch. */
export interface FiguresOptions {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly kind?: Run['kind'] | undefined;
  /** Only runs before this one. */
  readonly before?: RunPlace | undefined;
  readonly limit: number;
}

/** Duration of a model call or a tool call. Times are milliseconds since the Unix epoch. */
export interface Latency {
  /** Id of the message of the model call, or of the tool call. */
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Model calls or tool calls that began in a time span, in milliseconds since the Unix epoch. */
export interface LatencyOptions {
  readonly of: 'turns' | 'tool calls';
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Only tool calls of runs of this kind. */
  readonly kind?: Run['kind'] | undefined;
  /** Only calls before this one. */
  readonly before?: Pick<Latency, 'id' | 'startedAt'> | undefined;
  readonly limit: number;
}

/** Work that a process of the service has in progress. */
export interface WorkerLoad {
  readonly modelCalls: number;
  readonly toolCalls: number;
}

export interface StatsReader {
  /** Returns the figures of runs, newest first. */
  runFigures(options: FiguresOptions): Promise<readonly RunFigures[]>;
  /**
   * Returns the durations of completed model calls, or of tool calls that succeeded or failed, from
   * the time they were sent, newest first.
   */
  latencies(options: LatencyOptions): Promise<readonly Latency[]>;
  /** Returns the work in progress by the id of its worker. Workers without work are left out. */
  workerLoads(): Promise<ReadonlyMap<string, WorkerLoad>>;
}
