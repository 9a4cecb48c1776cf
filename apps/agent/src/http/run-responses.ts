import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { isSettled, type Run } from '../ports/store/run.ts';
import type { StoreReader } from '../ports/store.ts';
import { acceptsEventStream, streamRun } from './event-stream.ts';
import { replyWith, type Answer, type Once } from './idempotency.ts';
import { Problem } from './problem.ts';
import type { RouteDependencies } from './route.ts';
import type { Run as RunSchema } from './run-response-schemas.ts';
import { runView } from './views.ts';
import { answerInTime } from './wait-for-run.ts';

type RunBody = z.output<typeof RunSchema>;

/** Responses that the routes of runs have in common. */
export interface RunResponses {
  readonly view: (run: Run, reader?: StoreReader) => Promise<RunBody>;
  readonly accepted: (run: Run, reader: StoreReader) => Promise<Answer<RunBody>>;
  /** Returns the run. @throws Problem `run_not_found` */
  readonly existing: (id: string) => Promise<Run>;
  /**
   * Reserves a stream slot before a request for a stream is served, so no run is started for a stream
   * that cannot be opened. The stream frees the slot when it has ended; a request that fails frees it at once.
   */
  readonly withSlot: <T>(
    request: FastifyRequest,
    serve: (freeSlot: (() => void) | undefined) => Promise<T>,
  ) => Promise<T>;
  /** Replies with the started run, or with its event stream, which frees the slot when it has ended. */
  readonly started: (
    request: FastifyRequest,
    reply: FastifyReply,
    served: Once<RunBody>,
    freeSlot?: () => void,
  ) => Promise<RunBody | FastifyReply>;
}

export function runResponses(dependencies: RouteDependencies): RunResponses {
  const { read, llm } = dependencies;

  const view = async (run: Run, reader: StoreReader = read): Promise<RunBody> =>
    runView(run, isSettled(run) ? [] : await reader.openInbox([run.id]), llm);
  const accepted = async (run: Run, reader: StoreReader): Promise<Answer<RunBody>> => ({
    status: 202,
    location: `/v1/runs/${run.id}`,
    body: await view(run, reader),
    runId: run.id,
  });
  const existing = async (id: string): Promise<Run> => {
    const run = await read.run(id);
    if (run === undefined)
      throw new Problem(
        'run_not_found',
        `no run has the id "${id}": it never existed or was deleted; GET /v1/runs lists the stored runs`,
      );
    return run;
  };
  const withSlot = async <T>(
    request: FastifyRequest,
    serve: (freeSlot: (() => void) | undefined) => Promise<T>,
  ): Promise<T> => {
    const freeSlot = acceptsEventStream(request) ? dependencies.streams.take() : undefined;
    try {
      return await serve(freeSlot);
    } catch (error) {
      freeSlot?.();
      throw error;
    }
  };
  const started = async (
    request: FastifyRequest,
    reply: FastifyReply,
    served: Once<RunBody>,
    freeSlot?: () => void,
  ): Promise<RunBody | FastifyReply> => {
    if (!acceptsEventStream(request))
      return answerInTime(dependencies, {
        request,
        reply,
        served,
        later: async (run) => ({ ...(await accepted(run, read)), status: 200 }),
      });
    const body = replyWith(reply, served);
    const run = await existing(body.id);
    return streamRun(dependencies, { request, reply, run, after: 0, freeSlot });
  };
  return { view, accepted, existing, withSlot, started };
}
