import * as z from 'zod';
import type { ScheduleDefinition } from '../ports/schedule-commands.ts';
import type { Schedule as StoredSchedule } from '../ports/store/schedule.ts';
import { described } from './described.ts';
import { isKnown, MatchHeaders, matchCheck, TagHeaders, tagOf } from './etag.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { NewSchedule, SchedulePatch } from './schedule-schemas.ts';
import { Schedule, ScheduleList } from './schedule-response-schemas.ts';
import { IdParameters, ListQuery } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { pageOf, pageOptions } from './views.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Adds the endpoints that create, read, change and delete schedules. */
export function scheduleRoutes(app: HttpApp, { schedules, read, once }: RouteDependencies): void {
  const existing = async (id: string): Promise<StoredSchedule> => {
    const schedule = await read.schedule(id);
    if (schedule === undefined)
      throw new Problem(
        'schedule_not_found',
        `no schedule has the id "${id}"; GET /v1/schedules lists them`,
      );
    return schedule;
  };

  app.post(
    '/v1/schedules',
    {
      schema: {
        summary: 'Create a schedule',
        description: 'Starts runs at the times of a cron expression.',
        headers: KeyHeaders,
        body: NewSchedule,
        response: described(() => ({ 201: Schedule, 400: ProblemDetails, 409: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { name, cron, time_zone: timeZone, run, on_busy: onBusy, enabled } = request.body;
      const served = await once(request, {
        make: (onCommit) =>
          schedules.create(
            { name, cron, timeZone, run, onBusy, enabled, apiKey: request.apiKey },
            onCommit,
          ),
        answer: (schedule: StoredSchedule) => ({
          status: 201,
          location: `/v1/schedules/${schedule.id}`,
          body: scheduleView(schedule),
        }),
      });
      return replyWith(reply, served);
    },
  );

  app.get(
    '/v1/schedules',
    {
      schema: {
        summary: 'List schedules, newest first',
        querystring: ListQuery,
        response: described(() => ({ 200: ScheduleList, 400: ProblemDetails })),
      },
    },
    async (request) => pageOf(await read.schedules(pageOptions(request.query)), scheduleView),
  );

  app.get(
    '/v1/schedules/:id',
    {
      schema: {
        summary: 'Get a schedule',
        params: IdParameters,
        headers: TagHeaders,
        response: described(() => ({ 200: Schedule, 304: z.null(), ...problem })),
      },
    },
    async (request, reply) => {
      const schedule = scheduleView(await existing(request.params.id));
      return isKnown(request, reply, tagOf(schedule)) ? reply.code(304).send(null) : schedule;
    },
  );

  app.patch(
    '/v1/schedules/:id',
    {
      schema: {
        summary: 'Change a schedule',
        description:
          'Fields that are left out stay. `run` is replaced as a whole. Runs that were started continue.',
        params: IdParameters,
        headers: MatchHeaders,
        body: SchedulePatch,
        response: described(() => ({
          200: Schedule,
          ...problem,
          409: ProblemDetails,
          412: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const patch = patchOf(request.body);
      const check = matchCheck(request, scheduleTag);
      const schedule = scheduleView(await schedules.update(request.params.id, patch, check));
      reply.header('etag', tagOf(schedule));
      return schedule;
    },
  );

  app.delete(
    '/v1/schedules/:id',
    {
      schema: {
        summary: 'Delete a schedule',
        description: 'Runs that were started continue.',
        params: IdParameters,
        headers: MatchHeaders,
        response: described(() => ({
          204: z.null(),
          ...problem,
          409: ProblemDetails,
          412: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      await schedules.delete(request.params.id, matchCheck(request, scheduleTag));
      return reply.code(204).send(null);
    },
  );
}

function patchOf({
  name,
  cron,
  time_zone: timeZone,
  run,
  on_busy: onBusy,
  enabled,
}: z.output<typeof SchedulePatch>): Partial<ScheduleDefinition> {
  return {
    ...(name === undefined ? {} : { name: name ?? undefined }),
    ...(cron === undefined ? {} : { cron }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(run === undefined ? {} : { run }),
    ...(onBusy === undefined ? {} : { onBusy }),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

function scheduleTag(schedule: StoredSchedule): string {
  return tagOf(scheduleView(schedule));
}

const iso = (time: number): string => new Date(time).toISOString();

function scheduleView(schedule: StoredSchedule): z.output<typeof Schedule> {
  const { name, nextAt, lastAt, lastOutcome, lastRunId, lastError } = schedule;
  return {
    id: schedule.id,
    api_key: schedule.apiKey,
    ...(name === undefined ? {} : { name }),
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    // Stored as the client sent it, after the validation.
    run: { ...schedule.run } as z.output<typeof Schedule>['run'],
    on_busy: schedule.onBusy,
    enabled: schedule.enabled,
    ...(nextAt === undefined ? {} : { next_at: iso(nextAt) }),
    ...(lastAt === undefined || lastOutcome === undefined
      ? {}
      : {
          last_run: {
            scheduled_at: iso(lastAt),
            outcome: lastOutcome,
            ...(lastRunId === undefined ? {} : { run_id: lastRunId }),
            ...(lastError === undefined ? {} : { error: lastError }),
          },
        }),
    created_at: iso(schedule.createdAt),
    updated_at: iso(schedule.updatedAt),
  };
}
