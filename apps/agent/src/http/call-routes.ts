import type * as z from 'zod';
import type { CallRun as EngineCallRun } from '../ports/run-engine.ts';
import type { Run } from '../ports/store/run.ts';
import type { StoreReader } from '../ports/store.ts';
import type { ToolCall as StoredCall } from '../ports/store/tool-call.ts';
import { limitsOf } from '../run/limits/limits-data.ts';
import { callWaits } from './call-waits.ts';
import { described } from './described.ts';
import { KeyHeaders, replyWith, type Answer } from './idempotency.ts';
import { pageByName } from './page-by-name.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { CancelCall, CallParameters, NewCall, ToolParameters } from './call-schemas.ts';
import { CallRun, ToolCall } from './call-response-schemas.ts';
import { PageQuery } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { ToolList } from './server-response-schemas.ts';
import { withTraceParent } from './trace-parent.ts';
import { pageOf, runView, toolCallView, toolView } from './views.ts';
import { answerInTime, WaitHeaders } from './wait-for-run.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Adds the endpoints that list tools, and that make and cancel single tool calls. */
export function callRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { engine, read, llm, once, catalogue } = dependencies;

  const answerOf = async (
    { run, call }: EngineCallRun,
    reader: StoreReader,
  ): Promise<Answer<z.output<typeof CallRun>>> => ({
    status: run.finishedAt === undefined ? 202 : 200,
    location: `/v1/runs/${run.id}`,
    body: { ...runView(run, await reader.openInbox([run.id]), llm), call: toolCallView(call) },
    runId: run.id,
  });

  app.get(
    '/v1/tools',
    {
      schema: {
        summary: 'List the tools of the ready servers, by name',
        querystring: PageQuery,
        response: described(() => ({ 200: ToolList, 400: ProblemDetails, 503: ProblemDetails })),
      },
    },
    async (request) =>
      pageOf(
        pageByName(await catalogue.tools(), ({ wireName }) => wireName, request.query),
        toolView,
      ),
  );

  app.post(
    '/v1/tools/:name/call',
    {
      schema: {
        summary: 'Call a tool, without a model',
        description:
          'The call is a run of kind `call`, with the same approvals, limits and tool-call records as any run. Returns 202 once it is stored; with `Prefer: wait=N` the request waits up to N seconds (at most 60) until the call has ended and returns 200.',
        params: ToolParameters,
        headers: WaitHeaders,
        body: NewCall,
        response: described(() => ({
          200: CallRun,
          202: CallRun,
          ...problem,
          409: ProblemDetails,
          503: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const { arguments: input = {}, limits, metadata = {} } = request.body;
      const served = await once(request, {
        make: (onCommit) =>
          engine.startCall(
            {
              wireName: request.params.name,
              arguments: input,
              limits: limitsOf(limits),
              metadata,
              apiKey: request.apiKey,
            },
            withTraceParent(dependencies, request, { onCommit, runIdOf: ({ run }) => run.id }),
          ),
        answer: answerOf,
      });
      const later = async (run: Run): Promise<Answer<z.output<typeof CallRun>> | undefined> => {
        const [call] = await read.toolCalls(run.id);
        return call && answerOf({ run, call }, read);
      };
      return answerInTime(dependencies, { request, reply, served, later });
    },
  );

  app.post(
    '/v1/runs/:id/tool-calls/:call_id/cancel',
    {
      schema: {
        summary: 'Cancel one tool call',
        description:
          'The run and its other calls continue. For a call that was sent, the server gets a cancellation, and `cancel` shows its progress; a call that has ended is returned unchanged.',
        params: CallParameters,
        headers: KeyHeaders,
        body: CancelCall,
        response: described(() => ({ 200: ToolCall, ...problem, 409: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { id: runId, call_id: id } = request.params;
      const served = await once(request, {
        make: (onCommit) => engine.cancelCall({ runId, id }, onCommit),
        answer: (call: StoredCall) => ({ status: 200, body: toolCallView(call), runId }),
      });
      return replyWith(reply, served);
    },
  );

  app.get(
    '/v1/runs/:id/tool-calls/:call_id',
    {
      schema: {
        summary: 'Get a tool call',
        params: CallParameters,
        response: described(() => ({ 200: ToolCall, ...problem })),
      },
    },
    async (request) => {
      const { id: runId, call_id: id } = request.params;
      const call = await read.toolCall(id);
      if (call?.runId !== runId)
        throw new Problem('tool_call_not_found', `the run "${runId}" has no tool call "${id}"`);
      return toolCallView(call, await callWaits(dependencies, runId));
    },
  );
}
