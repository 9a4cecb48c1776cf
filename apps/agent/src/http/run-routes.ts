import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { NewRun as EngineNewRun } from '../ports/run-engine.ts';
import { isSettled, type Run } from '../ports/run-store.ts';
import { streamEvents } from './event-stream.ts';
import type { HttpApp, HttpDependencies } from './http-server.ts';
import { Problem } from './problem.ts';
import {
  CancelRun,
  EventsQuery,
  NewRun,
  ProblemDetails,
  Run as RunSchema,
  RunEventPage,
  RunList,
  RunListQuery,
  RunParameters,
  ToolCallList,
} from './schemas.ts';
import { eventView, runView, toolCallView } from './views.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

export function runRoutes(app: HttpApp, dependencies: HttpDependencies): void {
  const { engine, read, llm } = dependencies;

  const view = async (run: Run): Promise<z.output<typeof RunSchema>> =>
    runView(run, isSettled(run) ? [] : await read.inboxItems({ runId: run.id, state: 'open' }), llm.info);

  const existing = async (id: string): Promise<Run> => {
    const run = await read.run(id);
    if (run === undefined) throw new Problem('run_not_found', `no run has the id "${id}"; GET /v1/runs lists them`);
    return run;
  };

  app.post(
    '/v1/runs',
    {
      schema: {
        summary: 'Start a run',
        description:
          'Answers when the run is stored: from then on it reaches a terminal status, whatever process dies. ' +
          "With `accept: text/event-stream` the answer is the run's event stream; closing it does not cancel the run.",
        body: NewRun,
        response: { 202: RunSchema, ...problem },
      },
    },
    async (request, reply) => {
      const run = await engine.createRun(newRun(request.body));
      reply.code(202).header('location', `/v1/runs/${run.id}`);
      return accepts(request, 'text/event-stream') ? stream(dependencies, { request, reply, run, after: 0 }) : view(run);
    },
  );

  app.get(
    '/v1/runs',
    { schema: { summary: 'List runs, newest first', querystring: RunListQuery, response: { 200: RunList, ...problem } } },
    async (request) => {
      const { limit, cursor, status } = request.query;
      const page = await read.runs({ limit, ...(cursor === undefined ? {} : { cursor }), ...(status === undefined ? {} : { status }) });
      return {
        data: await Promise.all(page.data.map(view)),
        ...(page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor }),
      };
    },
  );

  app.get(
    '/v1/runs/:id',
    { schema: { summary: 'Get a run', params: RunParameters, response: { 200: RunSchema, ...problem } } },
    async (request) => view(await existing(request.params.id)),
  );

  app.get(
    '/v1/runs/:id/tool-calls',
    { schema: { summary: "List a run's tool calls", params: RunParameters, response: { 200: ToolCallList, ...problem } } },
    async (request) => {
      const run = await existing(request.params.id);
      return { data: (await read.toolCalls(run.id)).map(toolCallView) };
    },
  );

  app.post(
    '/v1/runs/:id/cancel',
    {
      schema: {
        summary: 'Cancel a run',
        description: 'Idempotent. The run is `cancelling` until its calls have ended; a settled run is returned as it is.',
        params: RunParameters,
        body: CancelRun,
        response: { 200: RunSchema, ...problem },
      },
    },
    async (request) => view(await engine.cancelRun(request.params.id, request.body.reason)),
  );

  app.get(
    '/v1/runs/:id/events',
    {
      schema: {
        summary: "A run's events, as a JSON page or a stream",
        description:
          'With `accept: text/event-stream` the events are streamed: an id-less `run.snapshot`, then every event after `Last-Event-ID` (or `after`) with its `seq` as id, ' +
          'and id-less `message.delta` frames. The stream ends when the run is settled; a reconnect after the end is answered with 204.',
        params: RunParameters,
        querystring: EventsQuery,
        response: { 200: RunEventPage, 204: z.null(), ...problem },
      },
    },
    async (request, reply) => {
      const run = await existing(request.params.id);
      if (accepts(request, 'text/event-stream') && request.method !== 'HEAD') {
        const last = lastEventId(request);
        const after = last ?? request.query.after ?? 0;
        if (after > run.lastSeq) throw new Problem('invalid_request', `the run has ${run.lastSeq} events, so none can follow event ${after}; leave Last-Event-ID and \`after\` out to read all of them`);
        if (last !== undefined && isSettled(run) && last === run.lastSeq) return reply.code(204).send(null);
        return stream(dependencies, { request, reply, run, after });
      }
      const { after = 0, limit } = request.query;
      const events = await read.events(run.id, { after, limit });
      const last = events.at(-1);
      const more = last !== undefined && last.seq < run.lastSeq;
      return { data: events.map(eventView), last_seq: run.lastSeq, ...(more ? { next_cursor: String(last.seq) } : {}) };
    },
  );
}

interface Stream {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly run: Run;
  readonly after: number;
}

async function stream(dependencies: HttpDependencies, { request, reply, run, after }: Stream): Promise<FastifyReply> {
  reply.hijack();
  try {
    await streamEvents(dependencies, reply.raw, { run, after, location: `/v1/runs/${run.id}` });
  } catch (error) {
    dependencies.onError(error, { method: request.method, url: request.url });
    reply.raw.destroy();
  }
  return reply;
}

function lastEventId(request: FastifyRequest): number | undefined {
  const value = request.headers['last-event-id'];
  if (value === undefined || value === '') return undefined;
  const seq = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  if (seq === undefined) throw new Problem('invalid_request', 'the header Last-Event-ID must be the id of an event of this run, a whole number');
  return seq;
}

function accepts(request: FastifyRequest, type: string): boolean {
  return (request.headers.accept ?? '').split(',').some((each) => each.split(';')[0]?.trim().toLowerCase() === type);
}

function newRun(body: z.output<typeof NewRun>): EngineNewRun {
  const { prompt, servers, model, limits = {} } = body;
  const named = {
    turns: limits.turns,
    toolCalls: limits.tool_calls,
    wallClockMs: limits.wall_clock_ms,
    callInactivityMs: limits.call_inactivity_ms,
    callMaxMs: limits.call_max_ms,
    inboxExpiryMs: limits.inbox_expiry_ms,
  };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { prompt, limits: given, ...(servers === undefined ? {} : { servers }), ...(model === undefined ? {} : { model }) };
}
