import type { Check, OnCommit } from './run-engine.ts';
import type { Schedule } from './store/schedule.ts';

/** Parts of a schedule that a client sets. */
export type ScheduleDefinition = Pick<
  Schedule,
  'name' | 'cron' | 'timeZone' | 'run' | 'onBusy' | 'enabled'
>;

/** A schedule to create. `apiKey`: name of the key of the request; default: `ANONYMOUS`. */
export type NewSchedule = ScheduleDefinition & Partial<Pick<Schedule, 'apiKey'>>;

/** Changes of schedules, in any process. Callers read state from the store. */
export interface ScheduleCommands {
  /**
   * Stores a schedule, whose first time is after now.
   * @throws EngineError `invalid_schedule`, `too_many_schedules`, and those of `RunCommands.checkRun`
   */
  create(definition: NewSchedule, onCommit?: OnCommit<Schedule>): Promise<Schedule>;
  /**
   * Changes parts of a schedule. Its next time is computed anew unless expression, time zone and
   * `enabled` stay the same.
   * @throws EngineError `schedule_not_found`, `schedule_changed`, `invalid_schedule`, and those of
   * `RunCommands.checkRun`
   */
  update(
    id: string,
    patch: Partial<ScheduleDefinition>,
    check?: Check<Schedule>,
  ): Promise<Schedule>;
  /**
   * Deletes a schedule; its runs stay.
   * @throws EngineError `schedule_not_found`, `schedule_changed`
   */
  delete(id: string, check?: Check<Schedule>): Promise<void>;
}
