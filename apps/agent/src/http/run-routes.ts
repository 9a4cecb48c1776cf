import * as z from 'zod';
import { isSettled, type RunCore } from '../ports/store/run.ts';
import { ToolCallList } from './call-response-schemas.ts';
import { callWaits } from './call-waits.ts';
import { described } from './described.ts';
import { isKnown, MatchHeaders, matchCheck, TagHeaders, tagOf } from './etag.ts';
import { MessageList } from './message-response-schemas.ts';
import { messagePage, numbersIn } from './message-views.ts';
import { patchMetadata } from './metadata-patch.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { runResponses } from './run-responses.ts';
import { RunListQuery, RunPatch } from './run-schemas.ts';
import { Run as RunSchema, RunList } from './run-response-schemas.ts';
import { IdParameters, ListQuery, PageQuery } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { listedCallView, pageOf, pageOptions, runView } from './views.ts';
import { preferredRun, preferWait } from './wait-for-run.ts';
import { searchWords } from '../text/search-text.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Adds the endpoints that read, change and delete runs. */
export function runRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { engine, read, llm } = dependencies;
  const runs = runResponses(dependencies);

  app.get(
    '/v1/runs',
    {
      schema: {
        summary: 'List runs, newest first',
        querystring: RunListQuery,
        response: described(() => ({ 200: RunList, ...problem })),
      },
    },
    async (request) => {
      const { q, status, kind, thread_id: threadId, agent_id: agentId, metadata } = request.query;
      const { data, nextCursor } = await read.runs({
        ...pageOptions(request.query),
        ...(q === undefined ? {} : { words: searchWords(q) }),
        ...(status === undefined ? {} : { status: [status].flat() }),
        ...(kind === undefined ? {} : { kind }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(threadId === undefined ? {} : { threadId }),
        ...(agentId === undefined ? {} : { agentId }),
      });
      const items = await read.openInbox(data.filter((run) => !isSettled(run)).map(({ id }) => id));
      const ofRun = Map.groupBy(items, ({ runId }) => runId);
      return pageOf({ data, nextCursor }, (run) => runView(run, ofRun.get(run.id) ?? [], llm));
    },
  );

  app.get(
    '/v1/runs/:id',
    {
      schema: {
        summary: 'Get a run',
        description:
          'With `Prefer: wait=N` the request waits up to N seconds (at most 60) until the run is settled.',
        params: IdParameters,
        headers: TagHeaders.extend({ prefer: preferWait }),
        response: described(() => ({ 200: RunSchema, 304: z.null(), ...problem })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const found = await runs.existing(id);
      const settled = isSettled(found)
        ? found
        : await preferredRun(dependencies, id, { request, reply });
      const run = settled ?? (await runs.existing(id));
      return isKnown(request, reply, runTag(run)) ? reply.code(304).send(null) : runs.view(run);
    },
  );

  app.patch(
    '/v1/runs/:id',
    {
      schema: {
        summary: 'Change some metadata of a run',
        params: IdParameters,
        headers: MatchHeaders,
        body: RunPatch,
        response: described(() => ({ 200: RunSchema, ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const check = matchCheck(request, runTag);
      await engine.updateMetadata(id, (run) => {
        check?.(run);
        return patchMetadata(run.metadata, request.body.metadata);
      });
      const run = await runs.existing(id);
      reply.header('etag', runTag(run));
      return runs.view(run);
    },
  );

  app.delete(
    '/v1/runs/:id',
    {
      schema: {
        summary: 'Erase a settled run',
        description:
          'Deletes its messages, events, tool calls, artifacts and inbox items, but not its audit entries. Runs forked from it keep their copy of the history.',
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
      await engine.deleteRun(request.params.id, matchCheck(request, runTag));
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/v1/runs/:id/messages',
    {
      schema: {
        summary: "List a run's messages, oldest first",
        description:
          'Without the messages of earlier runs of its thread, which GET /v1/threads/{id}/messages returns.',
        params: IdParameters,
        querystring: PageQuery,
        response: described(() => ({ 200: MessageList, ...problem })),
      },
    },
    async (request) => {
      const { id } = await runs.existing(request.params.id);
      const { limit, cursor } = request.query;
      const after = cursor === undefined ? undefined : numbersIn(cursor, 1)[0];
      const messages = await read.messagePage(id, { after, limit: limit + 1 });
      return messagePage(messages, limit, ({ position }) => String(position));
    },
  );

  app.get(
    '/v1/runs/:id/tool-calls',
    {
      schema: {
        summary: "List a run's tool calls, in order",
        params: IdParameters,
        querystring: ListQuery,
        response: described(() => ({ 200: ToolCallList, ...problem })),
      },
    },
    async (request) => {
      const run = await runs.existing(request.params.id);
      const page = await read.toolCallPage(run.id, pageOptions(request.query));
      const waits = await callWaits(dependencies, run.id);
      return pageOf(page, (call) => listedCallView(call, waits));
    },
  );
}

/** Returns the tag of a run, each change of which is an event or changes the metadata. */
function runTag({ lastSeq, metadata }: Pick<RunCore, 'lastSeq' | 'metadata'>): string {
  return tagOf({ lastSeq, metadata });
}
