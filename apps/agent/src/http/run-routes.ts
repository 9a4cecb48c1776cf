import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Fork, NewRun as EngineNewRun } from '../ports/run-engine.ts';
import { isSettled, type Run, type RunReader } from '../ports/run-store.ts';
import { streamEvents } from './event-stream.ts';
import type { HttpApp, RouteDependencies } from './http-server.ts';
import { KeyHeaders, replyWith, type Answer, type Once } from './idempotency.ts';
import { limitsOf } from './limits-view.ts';
import { patchMetadata } from './metadata-patch.ts';
import { Problem } from './problem.ts';
import { ToolCallList } from './call-schemas.ts';
import { EventsQuery, RunEventPage } from './event-schemas.ts';
import {
  CancelRun,
  NewFork,
  NewRun,
  Run as RunSchema,
  ResumeRun,
  RunList,
  RunListQuery,
  RunPatch,
} from './run-schemas.ts';
import { ListQuery, ProblemDetails, RunParameters } from './schemas.ts';
import { failedRequest } from './request-id.ts';
import { RunStreamFrame } from './stream-schemas.ts';
import { eventView, listedCallView, pageOf, pageOptions, runView } from './views.ts';
import { answerInTime, WaitHeaders } from './wait-for-run.ts';

type RunBody = z.output<typeof RunSchema>;

/** The response to `accept: text/event-stream`. */
const STREAM = {
  description: 'The event stream of the run, with `accept: text/event-stream`',
  content: { 'text/event-stream': { schema: RunStreamFrame } },
};

/** The response after `Prefer: wait`, or to `accept: text/event-stream`. */
const SETTLED_OR_STREAM = {
  description:
    'The settled run, after `Prefer: wait=N`; or its event stream, with `accept: text/event-stream`',
  content: { 'application/json': { schema: RunSchema }, ...STREAM.content },
};

const ResumeHeaders = z.looseObject({
  'last-event-id': z
    .string()
    .optional()
    .describe(
      'Of a stream: the id of the last event that the client has; the stream continues after it',
    ),
});

const problem = { 400: ProblemDetails, 404: ProblemDetails };

export function runRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { engine, store, read, llm, once, registry } = dependencies;

  const view = async (run: Run, reader: RunReader = read): Promise<RunBody> =>
    runView(run, isSettled(run) ? [] : await reader.openInbox([run.id]), llm.info);
  const accepted = async (run: Run, reader: RunReader): Promise<Answer<RunBody>> => ({
    status: 202,
    location: `/v1/runs/${run.id}`,
    body: await view(run, reader),
    runId: run.id,
  });

  const existing = async (id: string): Promise<Run> => {
    const run = await read.run(id);
    if (run === undefined)
      throw new Problem('run_not_found', `no run has the id "${id}"; GET /v1/runs lists them`);
    return run;
  };

  /** Holds a slot for as long as a request for a stream is served. A run is not started for a stream that cannot be opened. */
  const withSlot = async <T>(request: FastifyRequest, serve: () => Promise<T>): Promise<T> => {
    const freeSlot = accepts(request, 'text/event-stream')
      ? dependencies.streams.take()
      : undefined;
    try {
      return await serve();
    } finally {
      freeSlot?.();
    }
  };

  /** A run that began, as a resource or as its stream. */
  const begun = async (
    request: FastifyRequest,
    reply: FastifyReply,
    served: Once<RunBody>,
  ): Promise<RunBody | FastifyReply> => {
    if (!accepts(request, 'text/event-stream'))
      return answerInTime(dependencies, {
        request,
        reply,
        served,
        later: async (run) => ({ ...(await accepted(run, read)), status: 200 }),
      });
    const body = replyWith(reply, served);
    return stream(dependencies, { request, reply, run: await existing(body.id), after: 0 });
  };

  app.post(
    '/v1/runs',
    {
      schema: {
        summary: 'Start a run',
        description:
          'Answers when the run is stored: from then on it reaches a terminal status, whatever process dies. ' +
          "With `accept: text/event-stream` the answer is the run's event stream; closing it does not cancel the run. " +
          'With `Prefer: wait=N` it waits up to N seconds (at most 60) for the end of the run and then answers 200; a run that takes longer continues.',
        headers: WaitHeaders,
        body: NewRun,
        response: { 200: SETTLED_OR_STREAM, 202: RunSchema, ...problem, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      return withSlot(request, async () => {
        const served = await once(request, {
          make: (receipt) => engine.createRun(newRun(request.body), receipt),
          answer: accepted,
        });
        return begun(request, reply, served);
      });
    },
  );

  app.post(
    '/v1/runs/:id/fork',
    {
      schema: {
        summary: 'Start a run with the history of another',
        description:
          'The new run begins with a copy of what was said up to the end of a turn; nothing that was done is done again. It is in no thread.',
        params: RunParameters,
        headers: WaitHeaders,
        body: NewFork,
        response: { 200: SETTLED_OR_STREAM, 202: RunSchema, ...problem, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      const fork = forkOf(request.body);
      return withSlot(request, async () => {
        const served = await once(request, {
          make: (receipt) => engine.forkRun(request.params.id, fork, receipt),
          answer: accepted,
        });
        return begun(request, reply, served);
      });
    },
  );

  app.get(
    '/v1/runs',
    {
      schema: {
        summary: 'List runs, newest first',
        querystring: RunListQuery,
        response: { 200: RunList, ...problem },
      },
    },
    async (request) => {
      const { status, kind, thread_id: threadId, agent_id: agentId, metadata } = request.query;
      const { data, nextCursor } = await read.runs({
        ...pageOptions(request.query),
        ...(status === undefined ? {} : { status: [status].flat() }),
        ...(kind === undefined ? {} : { kind }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(threadId === undefined ? {} : { threadId }),
        ...(agentId === undefined ? {} : { agentId }),
      });
      const items = await read.openInbox(data.filter((run) => !isSettled(run)).map(({ id }) => id));
      const ofRun = Map.groupBy(items, ({ runId }) => runId);
      return pageOf({ data, nextCursor }, (run) => runView(run, ofRun.get(run.id) ?? [], llm.info));
    },
  );

  app.get(
    '/v1/runs/:id',
    {
      schema: {
        summary: 'Get a run',
        params: RunParameters,
        response: { 200: RunSchema, ...problem },
      },
    },
    async (request) => view(await existing(request.params.id)),
  );

  app.patch(
    '/v1/runs/:id',
    {
      schema: {
        summary: 'Change some metadata of a run',
        params: RunParameters,
        body: RunPatch,
        response: { 200: RunSchema, ...problem },
      },
    },
    async (request) => {
      const { id } = request.params;
      await store.write(async (sql) => {
        const run = await sql.run(id);
        if (run !== undefined)
          await sql.updateRun(id, { metadata: patchMetadata(run.metadata, request.body.metadata) });
      });
      return view(await existing(id));
    },
  );

  app.delete(
    '/v1/runs/:id',
    {
      schema: {
        summary: 'Erase a settled run',
        description:
          'Its messages, events, tool calls, artifacts and inbox items go; the audit stays. Runs that were forked from it keep their copy of the history.',
        params: RunParameters,
        response: { 204: z.null(), ...problem, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      await engine.deleteRun(request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/v1/runs/:id/tool-calls',
    {
      schema: {
        summary: "List a run's tool calls, in order",
        params: RunParameters,
        querystring: ListQuery,
        response: { 200: ToolCallList, ...problem },
      },
    },
    async (request) => {
      const run = await existing(request.params.id);
      const servers = registry.servers();
      return pageOf(await read.toolCallPage(run.id, pageOptions(request.query)), (call) =>
        listedCallView(call, servers),
      );
    },
  );

  app.post(
    '/v1/runs/:id/cancel',
    {
      schema: {
        summary: 'Cancel a run',
        description:
          'Idempotent. The run is `cancelling` until its calls have ended; a settled run is returned as it is.',
        params: RunParameters,
        headers: KeyHeaders,
        body: CancelRun,
        response: { 200: RunSchema, ...problem, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      const served = await once(request, {
        make: (receipt) => engine.cancelRun(request.params.id, request.body.reason, receipt),
        answer: async (run: Run, reader: RunReader) => ({
          status: 200,
          body: await view(run, reader),
          runId: run.id,
        }),
      });
      return replyWith(reply, served);
    },
  );

  app.post(
    '/v1/runs/:id/resume',
    {
      schema: {
        summary: 'Resume a failed or expired run',
        description:
          'Continues with the next model call, with a new wall clock and the given limits; no tool call is repeated. Refused with run_not_resumable for a run that another attempt cannot help ' +
          '(refusal, context_full, max_tokens, invalid_output), a tool call, and a run of a thread that has later runs.',
        params: RunParameters,
        headers: KeyHeaders,
        body: ResumeRun,
        response: { 202: RunSchema, ...problem, 409: ProblemDetails },
      },
    },
    async (request, reply) => {
      const limits = limitsOf(request.body.limits);
      const served = await once(request, {
        make: (receipt) => engine.resumeRun(request.params.id, limits, receipt),
        answer: accepted,
      });
      return begun(request, reply, served);
    },
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
        headers: ResumeHeaders,
        querystring: EventsQuery,
        response: {
          200: {
            description: 'A page of events, or the stream of the run',
            content: { 'application/json': { schema: RunEventPage }, ...STREAM.content },
          },
          204: z.null(),
          ...problem,
        },
      },
    },
    async (request, reply) => {
      const run = await existing(request.params.id);
      if (accepts(request, 'text/event-stream') && request.method !== 'HEAD') {
        const last = lastEventId(request);
        const after = last ?? request.query.after ?? 0;
        if (after > run.lastSeq)
          throw new Problem(
            'invalid_request',
            `the run has ${run.lastSeq} events, so none can follow event ${after}; leave Last-Event-ID and \`after\` out to read all of them`,
          );
        if (last !== undefined && isSettled(run) && last === run.lastSeq)
          return reply.code(204).send(null);
        return withSlot(request, () => stream(dependencies, { request, reply, run, after }));
      }
      const { after = 0, limit } = request.query;
      const events = await read.events(run.id, { after, limit });
      const last = events.at(-1);
      const more = last !== undefined && last.seq < run.lastSeq;
      return {
        data: events.map(eventView),
        last_seq: run.lastSeq,
        ...(more ? { next_cursor: String(last.seq) } : {}),
      };
    },
  );
}

interface Stream {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly run: Run;
  readonly after: number;
}

/** Streams the run until it is settled or the reader has left. */
async function stream(
  dependencies: RouteDependencies,
  { request, reply, run, after }: Stream,
): Promise<FastifyReply> {
  reply.hijack();
  const isReplayed = reply.getHeader('idempotent-replayed') !== undefined;
  const headers = {
    location: `/v1/runs/${run.id}`,
    ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
  };
  try {
    await streamEvents(dependencies, reply.raw, { run, after, headers });
  } catch (error) {
    dependencies.onError(error, failedRequest(request));
    reply.raw.destroy();
  }
  return reply;
}

function lastEventId(request: FastifyRequest): number | undefined {
  const value = request.headers['last-event-id'];
  if (value === undefined || value === '') return undefined;
  const seq = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  if (seq === undefined)
    throw new Problem(
      'invalid_request',
      'the header Last-Event-ID must be the id of an event of this run, a whole number',
    );
  return seq;
}

function accepts(request: FastifyRequest, type: string): boolean {
  return (request.headers.accept ?? '')
    .split(',')
    .some((each) => each.split(';')[0]?.trim().toLowerCase() === type);
}

function forkOf({
  at_turn: atTurn,
  prompt,
  limits,
  servers,
  model,
  instructions,
  metadata,
  output_schema: outputSchema,
}: z.output<typeof NewFork>): Fork {
  const named = { atTurn, prompt, servers, model, instructions, metadata, outputSchema };
  return {
    limits: limitsOf(limits),
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
  };
}

function newRun({
  prompt,
  servers,
  model,
  limits,
  instructions,
  agent_id: agentId,
  thread_id: threadId,
  on_busy: onBusy,
  metadata,
  output_schema: outputSchema,
}: z.output<typeof NewRun>): EngineNewRun {
  const named = { servers, model, instructions, agentId, threadId, onBusy, metadata, outputSchema };
  return {
    prompt,
    limits: limitsOf(limits),
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
  };
}
