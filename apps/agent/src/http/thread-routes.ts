import * as z from 'zod';
import type { ThreadMessage } from '../ports/store/message.ts';
import type { Thread as StoredThread } from '../ports/store/thread.ts';
import { described } from './described.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { isKnown, MatchHeaders, matchCheck, TagHeaders, tagOf } from './etag.ts';
import { MessageList } from './message-response-schemas.ts';
import { messagePage, numbersIn } from './message-views.ts';
import { patchMetadata } from './metadata-patch.ts';
import { Problem } from './problem.ts';
import { PageQuery, IdParameters } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { NewThread, ThreadListQuery, ThreadPatch } from './thread-schemas.ts';
import { Thread, ThreadList } from './thread-response-schemas.ts';
import { pageOf, pageOptions } from './views.ts';

const problem = { 400: ProblemDetails, 404: ProblemDetails };

/** Adds the endpoints that create, read, change and delete threads. */
export function threadRoutes(app: HttpApp, { engine, read, once }: RouteDependencies): void {
  const existing = async (id: string): Promise<StoredThread> => {
    const thread = await read.thread(id);
    if (thread === undefined)
      throw new Problem(
        'thread_not_found',
        `no thread has the id "${id}"; GET /v1/threads lists them`,
      );
    return thread;
  };

  app.post(
    '/v1/threads',
    {
      schema: {
        summary: 'Start a thread',
        headers: KeyHeaders,
        body: NewThread,
        response: described(() => ({ 201: Thread, 400: ProblemDetails, 409: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { title, metadata = {} } = request.body;
      const served = await once(request, {
        make: (onCommit) => engine.createThread({ title, metadata }, onCommit),
        answer: (thread: StoredThread) => ({
          status: 201,
          location: `/v1/threads/${thread.id}`,
          body: threadView(thread),
        }),
      });
      return replyWith(reply, served);
    },
  );

  app.get(
    '/v1/threads',
    {
      schema: {
        summary: 'List threads, newest first',
        querystring: ThreadListQuery,
        response: described(() => ({ 200: ThreadList, 400: ProblemDetails })),
      },
    },
    async (request) => {
      const { metadata } = request.query;
      return pageOf(
        await read.threads({
          ...pageOptions(request.query),
          ...(metadata === undefined ? {} : { metadata }),
        }),
        threadView,
      );
    },
  );

  app.get(
    '/v1/threads/:id',
    {
      schema: {
        summary: 'Get a thread',
        params: IdParameters,
        headers: TagHeaders,
        response: described(() => ({ 200: Thread, 304: z.null(), ...problem })),
      },
    },
    async (request, reply) => {
      const thread = threadView(await existing(request.params.id));
      return isKnown(request, reply, tagOf(thread)) ? reply.code(304).send(null) : thread;
    },
  );

  app.put(
    '/v1/threads/:id',
    {
      schema: {
        summary: 'Replace the title and the metadata of a thread',
        params: IdParameters,
        headers: MatchHeaders,
        body: NewThread,
        response: described(() => ({ 200: Thread, ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { title, metadata = {} } = request.body;
      const check = matchCheck(request, threadTag);
      const changed = await engine.updateThread(id, (thread) => {
        check?.(thread);
        return { title, metadata };
      });
      reply.header('etag', threadTag(changed));
      return threadView(changed);
    },
  );

  app.patch(
    '/v1/threads/:id',
    {
      schema: {
        summary: 'Change the title or some metadata of a thread',
        params: IdParameters,
        headers: MatchHeaders,
        body: ThreadPatch,
        response: described(() => ({ 200: Thread, ...problem, 412: ProblemDetails })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { title, metadata } = request.body;
      const check = matchCheck(request, threadTag);
      const changed = await engine.updateThread(id, (thread) => {
        check?.(thread);
        return {
          ...(title === undefined ? {} : { title: title ?? undefined }),
          ...(metadata === undefined ? {} : { metadata: patchMetadata(thread.metadata, metadata) }),
        };
      });
      reply.header('etag', threadTag(changed));
      return threadView(changed);
    },
  );

  app.delete(
    '/v1/threads/:id',
    {
      schema: {
        summary: 'Erase a thread and its runs; all runs must be settled',
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
      await engine.deleteThread(request.params.id, matchCheck(request, threadTag));
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/v1/threads/:id/messages',
    {
      schema: {
        summary: "List a thread's messages, oldest first",
        params: IdParameters,
        querystring: PageQuery,
        response: described(() => ({ 200: MessageList, ...problem })),
      },
    },
    async (request) => {
      const { id } = await existing(request.params.id);
      const { limit, cursor } = request.query;
      const messages = await read.threadMessages(id, {
        limit: limit + 1,
        ...(cursor === undefined ? {} : { after: placeIn(cursor) }),
      });
      return messagePage(
        messages,
        limit,
        ({ threadPosition, position }) => `${threadPosition}.${position}`,
      );
    },
  );
}

function placeIn(cursor: string): Pick<ThreadMessage, 'threadPosition' | 'position'> {
  const [threadPosition = 0, position = 0] = numbersIn(cursor, 2);
  return { threadPosition, position };
}

function threadTag(thread: StoredThread): string {
  return tagOf(threadView(thread));
}

function threadView({
  id,
  title,
  metadata,
  createdAt,
  updatedAt,
}: StoredThread): z.output<typeof Thread> {
  return {
    id,
    ...(title === undefined ? {} : { title }),
    metadata: { ...metadata },
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
