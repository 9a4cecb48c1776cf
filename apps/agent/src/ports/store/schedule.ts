import type { JsonObject } from '@signalbox/mcp-core';
import type { Page, PageOptions } from './page.ts';
import type { Effort, TOOL_CHOICES } from '../model-settings.ts';
import type { Metadata } from './metadata.ts';
import type { Priority } from '../priority.ts';
import type { ApprovalRule } from '../tool-rules.ts';

/** Fields of the runs that a schedule starts, by their names in the API. */
export interface RunTemplate {
  readonly prompt: string;
  readonly servers?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly temperature?: number | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly effort?: Effort | null | undefined;
  readonly tool_choice?: (typeof TOOL_CHOICES)[number] | null | undefined;
  readonly tools?:
    | {
        readonly allow?: readonly string[] | null | undefined;
        readonly deny?: readonly string[] | null | undefined;
      }
    | null
    | undefined;
  readonly approvals?: readonly ApprovalRule[] | null | undefined;
  readonly limits?: { readonly [name: string]: number | undefined } | undefined;
  readonly instructions?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly agent_version?: number | undefined;
  readonly thread_id?: string | undefined;
  readonly priority?: Priority | undefined;
  readonly metadata?: Metadata | undefined;
  readonly output_schema?: JsonObject | undefined;
}

/** Runs that are started at the times of a cron expression. */
export interface Schedule {
  readonly id: string;
  /** Name of the API key that created the schedule. */
  readonly apiKey: string;
  readonly name: string | undefined;
  /** Cron expression with five fields, or a nickname such as `@daily`. */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly run: RunTemplate;
  /**
   * Action at a time at which the previous run is not settled, or the rate of the API key is used up:
   * leave the time out, or wait.
   */
  readonly onBusy: 'skip' | 'queue';
  readonly enabled: boolean;
  /** Next time. Undefined while it is disabled, or if there is none. */
  readonly nextAt: number | undefined;
  /** Last time of the schedule that was decided about. */
  readonly lastAt: number | undefined;
  /** Decision about `lastAt`. */
  readonly lastOutcome: 'started' | 'skipped' | 'failed' | undefined;
  /** Last run that was started. */
  readonly lastRunId: string | undefined;
  /**
   * Reason for which the run of `lastAt` was not started. Undefined if it was started, or skipped
   * because a run was not settled.
   */
  readonly lastError: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A time of a schedule. */
export interface ScheduledTime {
  readonly id: string;
  /** The `nextAt` of the schedule. */
  readonly at: number;
}

export interface ScheduleReader {
  schedule(id: string): Promise<Schedule | undefined>;
  /** Returns schedules newest first. */
  schedules(options: PageOptions): Promise<Page<Schedule>>;
  countSchedules(): Promise<number>;
  /** Returns the enabled schedules whose next time is up to `until`, soonest first, after a place. */
  dueSchedules(options: {
    readonly until: number;
    readonly after?: ScheduledTime | undefined;
    readonly limit: number;
  }): Promise<readonly ScheduledTime[]>;
}

export interface ScheduleWriter {
  insertSchedule(schedule: Schedule): Promise<void>;
  /** Updates a schedule if it was last updated at `updatedAt`. Returns whether it did. */
  updateSchedule(
    id: string,
    patch: Partial<Omit<Schedule, 'id' | 'apiKey' | 'createdAt'>>,
    updatedAt: number,
  ): Promise<boolean>;
  /** Deletes a schedule if it was last updated at `updatedAt`. Returns whether it did. */
  deleteSchedule(id: string, updatedAt: number): Promise<boolean>;
  /**
   * Records the decision about a time. Returns false, and changes nothing, when another process
   * decided about it, or the schedule was changed meanwhile.
   */
  decideTime(
    time: ScheduledTime,
    decision: Pick<Schedule, 'nextAt' | 'lastOutcome' | 'lastError'> &
      Partial<Pick<Schedule, 'lastRunId'>>,
  ): Promise<boolean>;
}
