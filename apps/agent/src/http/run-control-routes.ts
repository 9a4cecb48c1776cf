import type { FastifyRequest } from 'fastify';
import type * as z from 'zod';
import type { Fork, NewRun as EngineNewRun, OnCommit } from '../ports/run-engine.ts';
import type { Run } from '../ports/store/run.ts';
import type { StoreReader } from '../ports/store.ts';
import { requestedSettings } from '../run/core/model-settings.ts';
import { requestedRules } from '../run/core/tool-rules.ts';
import { limitsOf } from '../run/limits/limits-data.ts';
import { described } from './described.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { runResponses } from './run-responses.ts';
import { CancelRun, NewFork, NewRun, ResumeRun } from './run-schemas.ts';
import { Run as RunSchema } from './run-response-schemas.ts';
import { IdParameters } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { SETTLED_OR_STREAM } from './stream-response-schemas.ts';
import { withTraceParent } from './trace-parent.ts';
import { WaitHeaders } from './wait-for-run.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Adds the endpoints that start, fork, cancel and resume runs. */
export function runControlRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { engine, once } = dependencies;
  const runs = runResponses(dependencies);
  const traced = (
    request: FastifyRequest,
    onCommit: OnCommit<Run> | undefined,
  ): OnCommit<Run> | undefined =>
    withTraceParent(dependencies, request, { onCommit, runIdOf: ({ id }) => id });

  app.post(
    '/v1/runs',
    {
      schema: {
        summary: 'Start a run',
        description:
          'Responds once the run is stored; a stored run reaches a terminal status even if a process crashes. ' +
          "With `accept: text/event-stream` the response is the run's event stream; closing it does not cancel the run. " +
          'With `Prefer: wait=N` the request waits up to N seconds (at most 60) until the run is settled and returns 200; a run that takes longer continues.',
        headers: WaitHeaders,
        body: NewRun,
        response: described(() => ({
          200: SETTLED_OR_STREAM,
          202: RunSchema,
          ...problem,
          409: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      return runs.withSlot(request, async (freeSlot) => {
        const served = await once(request, {
          make: (onCommit) =>
            engine.createRun(
              { ...newRun(request.body), apiKey: request.apiKey },
              traced(request, onCommit),
            ),
          answer: runs.accepted,
        });
        return runs.started(request, reply, served, freeSlot);
      });
    },
  );

  app.post(
    '/v1/runs/:id/fork',
    {
      schema: {
        summary: 'Start a run with the history of an existing run',
        description:
          'The new run begins with a copy of the messages up to the end of a turn; no tool call is repeated. It belongs to no thread.',
        params: IdParameters,
        headers: WaitHeaders,
        body: NewFork,
        response: described(() => ({
          200: SETTLED_OR_STREAM,
          202: RunSchema,
          ...problem,
          409: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const fork = { ...forkOf(request.body), apiKey: request.apiKey };
      return runs.withSlot(request, async (freeSlot) => {
        const served = await once(request, {
          make: (onCommit) => engine.forkRun(request.params.id, fork, traced(request, onCommit)),
          answer: runs.accepted,
        });
        return runs.started(request, reply, served, freeSlot);
      });
    },
  );

  app.post(
    '/v1/runs/:id/cancel',
    {
      schema: {
        summary: 'Cancel a run',
        description:
          'Idempotent. The run is `cancelling` until its calls have ended; a settled run is returned unchanged.',
        params: IdParameters,
        headers: KeyHeaders,
        body: CancelRun,
        response: described(() => ({ 200: RunSchema, ...problem, 409: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const served = await once(request, {
        make: (onCommit) => engine.cancelRun(request.params.id, request.body.reason, onCommit),
        answer: async (run: Run, reader: StoreReader) => ({
          status: 200,
          body: await runs.view(run, reader),
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
          'Continues with the next model call, with a new wall clock and the given limits; no tool call is repeated. Refused with run_not_resumable after failures that a new attempt cannot fix ' +
          '(refusal, context_full, max_tokens, invalid_output), for a run of kind `call`, and for a run followed by later runs in its thread.',
        params: IdParameters,
        headers: WaitHeaders,
        body: ResumeRun,
        response: described(() => ({
          200: SETTLED_OR_STREAM,
          202: RunSchema,
          ...problem,
          409: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const limits = limitsOf(request.body.limits);
      return runs.withSlot(request, async (freeSlot) => {
        const served = await once(request, {
          make: (onCommit) =>
            engine.resumeRun(request.params.id, limits, traced(request, onCommit)),
          answer: runs.accepted,
        });
        return runs.started(request, reply, served, freeSlot);
      });
    },
  );
}

function forkOf({
  at_turn: atTurn,
  prompt,
  limits,
  servers,
  model,
  instructions,
  priority,
  metadata,
  output_schema: outputSchema,
  tools,
  approvals,
  ...settings
}: z.output<typeof NewFork>): Fork {
  const named = {
    atTurn,
    prompt,
    servers,
    model,
    instructions,
    priority,
    metadata,
    outputSchema,
  };
  return {
    limits: limitsOf(limits),
    modelSettings: requestedSettings(settings),
    toolRules: requestedRules({ tools, approvals }),
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
  agent_version: agentVersion,
  thread_id: threadId,
  on_busy: onBusy,
  priority,
  metadata,
  artifacts,
  output_schema: outputSchema,
  tools,
  approvals,
  ...settings
}: z.output<typeof NewRun>): EngineNewRun {
  const named = {
    servers,
    model,
    instructions,
    agentId,
    agentVersion,
    threadId,
    onBusy,
    priority,
    metadata,
    artifacts,
    outputSchema,
  };
  return {
    prompt,
    limits: limitsOf(limits),
    modelSettings: requestedSettings(settings),
    toolRules: requestedRules({ tools, approvals }),
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
  };
}
