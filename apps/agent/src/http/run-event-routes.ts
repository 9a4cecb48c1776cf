import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { InvalidCursorError } from '../ports/store/errors.ts';
import { isSettled, type Run } from '../ports/store/run.ts';
import type { StoreReader } from '../ports/store.ts';
import { described } from './described.ts';
import { EventsQuery, typeFilter, type EventFilter } from './event-schemas.ts';
import { RunEventPage } from './event-response-schemas.ts';
import { acceptsEventStream, streamRun } from './event-stream.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { runResponses } from './run-responses.ts';
import { IdParameters } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { RUN_STREAM } from './stream-response-schemas.ts';
import { eventView } from './views.ts';

const ResumeHeaders = z.looseObject({
  'last-event-id': z
    .string()
    .optional()
    .describe(
      'For a stream: id of the last event that the client received; the stream continues after it',
    ),
});

/** Events that are read to see whether one of them is wanted. */
const MAX_CHECKED = 200;

/** Adds the endpoint that lists and streams the events of a run. */
export function runEventRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { read } = dependencies;
  const runs = runResponses(dependencies);

  app.get(
    '/v1/runs/:id/events',
    {
      schema: {
        summary: "A run's events, as a JSON page or a stream",
        description:
          'With `accept: text/event-stream` the events are streamed: an id-less `run.snapshot`, then every event after `Last-Event-ID` (or `after`) with its `seq` as id, ' +
          'and id-less `message.delta` frames. The stream ends when the run is settled; a reconnect after the end is answered with 204.',
        params: IdParameters,
        headers: ResumeHeaders,
        querystring: EventsQuery,
        response: described(() => ({
          200: {
            description: 'A page of events, or the stream of the run',
            content: { 'application/json': { schema: RunEventPage }, ...RUN_STREAM.content },
          },
          204: z.null(),
          400: ProblemDetails,
          404: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const run = await runs.existing(request.params.id);
      const { cursor, limit } = request.query;
      const from = cursor === undefined ? (request.query.after ?? 0) : seqIn(cursor);
      const isWanted = typeFilter(request.query.types);
      if (acceptsEventStream(request) && request.method !== 'HEAD') {
        const last = lastEventId(request);
        const after = last ?? from;
        if (after > run.lastSeq)
          throw new Problem(
            'invalid_request',
            `the run has ${run.lastSeq} events, so none can follow event ${after}; leave Last-Event-ID and \`after\` out to read all of them`,
          );
        if (last !== undefined && isSettled(run) && !(await hasMore(read, run, last, isWanted)))
          return reply.code(204).send(null);
        return runs.withSlot(request, (freeSlot) =>
          streamRun(dependencies, { request, reply, run, after, isWanted, freeSlot }),
        );
      }
      const events = await read.events(run.id, { after: from, limit });
      const last = events.at(-1);
      const more = last !== undefined && last.seq < run.lastSeq;
      return {
        data: events.filter(({ type }) => isWanted?.(type) ?? true).map(eventView),
        last_seq: run.lastSeq,
        ...(more ? { next_cursor: String(last.seq) } : {}),
      };
    },
  );
}

/** Whether the reader of a settled run gets an event after the last one that it has. */
async function hasMore(
  read: StoreReader,
  { id, lastSeq }: Run,
  last: number,
  isWanted: EventFilter | undefined,
): Promise<boolean> {
  if (isWanted === undefined || last === lastSeq) return last < lastSeq;
  const events = await read.events(id, { after: last, limit: MAX_CHECKED });
  return events.length === MAX_CHECKED || events.some(({ type }) => isWanted(type));
}

function seqIn(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw new InvalidCursorError();
  return Number(cursor);
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
