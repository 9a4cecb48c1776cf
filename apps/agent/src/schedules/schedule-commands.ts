import { ANONYMOUS } from '../ports/api-key.ts';
import type { Clock } from '../ports/clock.ts';
import { EngineError, type RunCommands } from '../ports/run-engine.ts';
import type { ScheduleCommands } from '../ports/schedule-commands.ts';
import type { Store } from '../ports/store.ts';
import type { RunTemplate, Schedule } from '../ports/store/schedule.ts';
import { InvalidCronError, nextTime, type CronTimes } from './next-time.ts';
import { runOf } from './run-template.ts';

/** Maximum number of schedules. */
export const MAX_SCHEDULES = 1000;

export interface ScheduleCommandsOptions {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly engine: Pick<RunCommands, 'checkRun'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Creates the changes of schedules. */
export function createScheduleCommands({
  store,
  engine,
  clock,
  newId,
}: ScheduleCommandsOptions): ScheduleCommands {
  const checkTemplate = async (template: RunTemplate): Promise<void> => {
    try {
      await engine.checkRun(runOf(template));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const problems = error.problems?.map(({ path, message }) => ({
        path: `/run${path}`,
        message,
      }));
      throw new EngineError(error.code, error.message, problems);
    }
  };

  const existing = async (sql: Pick<Store['read'], 'schedule'>, id: string): Promise<Schedule> => {
    const schedule = await sql.schedule(id);
    if (schedule === undefined)
      throw new EngineError('schedule_not_found', `There is no schedule ${id}.`);
    return schedule;
  };

  return {
    async create({ apiKey = ANONYMOUS, ...definition }, onCommit) {
      const now = clock.now();
      const first = await firstTime(definition, now);
      await checkTemplate(definition.run);
      const schedule: Schedule = {
        ...definition,
        id: newId(),
        apiKey,
        nextAt: definition.enabled ? first : undefined,
        lastAt: undefined,
        lastOutcome: undefined,
        lastRunId: undefined,
        lastError: undefined,
        createdAt: now,
        updatedAt: now,
      };
      return store.write({}, async (sql) => {
        if ((await sql.countSchedules()) >= MAX_SCHEDULES)
          throw new EngineError(
            'too_many_schedules',
            `There are ${MAX_SCHEDULES} schedules already, which is the maximum. Delete one first.`,
          );
        await sql.insertSchedule(schedule);
        await onCommit?.(sql, schedule);
        return schedule;
      });
    },

    async update(id, patch, check) {
      const before = await existing(store.read, id);
      const changed = { ...before, ...patch };
      const now = clock.now();
      const isSameTime =
        changed.cron === before.cron &&
        changed.timeZone === before.timeZone &&
        changed.enabled === before.enabled;
      const first = isSameTime ? undefined : await firstTime(changed, now);
      if (patch.run !== undefined) await checkTemplate(patch.run);
      return store.write({}, async (sql) => {
        const current = await existing(sql, id);
        check?.(current);
        const change = {
          ...patch,
          // A later time than that of any other change, by which a change finds the schedule unchanged.
          updatedAt: Math.max(now, before.updatedAt + 1),
          ...(isSameTime ? {} : { nextAt: changed.enabled ? first : undefined }),
        };
        if (!(await sql.updateSchedule(id, change, before.updatedAt))) throw changedMeanwhile(id);
        return { ...current, ...change };
      });
    },

    delete: (id, check) =>
      store.write({}, async (sql) => {
        const current = await existing(sql, id);
        check?.(current);
        if (!(await sql.deleteSchedule(id, current.updatedAt))) throw changedMeanwhile(id);
      }),
  };
}

/** Returns the first time after `now`. @throws EngineError `invalid_schedule` */
async function firstTime(times: CronTimes, now: number): Promise<number> {
  try {
    const first = await nextTime(times, now);
    if (first === undefined)
      throw new InvalidCronError('cron', `${JSON.stringify(times.cron)} has no time in the future`);
    return first;
  } catch (error) {
    if (!(error instanceof InvalidCronError)) throw error;
    throw new EngineError('invalid_schedule', `The schedule was not stored: ${error.message}.`, [
      { path: `/${error.field}`, message: error.message },
    ]);
  }
}

function changedMeanwhile(id: string): EngineError {
  return new EngineError(
    'schedule_changed',
    `The schedule ${id} was changed or deleted by another request at the same time. Get it again and repeat the change.`,
  );
}
