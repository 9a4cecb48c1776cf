import type { FastifyReply } from 'fastify';
import * as z from 'zod';
import type { Artifact, ListedArtifact } from '../ports/store/artifact.ts';
import { ArtifactHeaders } from './artifact-schemas.ts';
import {
  Artifact as ArtifactSchema,
  ArtifactContent,
  ArtifactList,
} from './artifact-response-schemas.ts';
import { described } from './described.ts';
import { KeyHeaders, replyWith } from './idempotency.ts';
import { MAX_ARTIFACT_BYTES } from '../run/results/artifacts.ts';
import { Problem } from './problem.ts';
import { artifactType } from './artifact-body.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { runResponses } from './run-responses.ts';
import { IdParameters, ListQuery } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import { pageOf, pageOptions } from './views.ts';

/** Adds the endpoints that store, list and read artifacts: texts and files of clients, and parts of results that were too long for the conversation. */
export function artifactRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { read, engine, once } = dependencies;
  const runs = runResponses(dependencies);

  app.post(
    '/v1/artifacts',
    {
      bodyLimit: MAX_ARTIFACT_BYTES,
      schema: {
        summary: 'Store a text or another file as an artifact',
        description:
          'The body is the content of the file, at most 4 MiB, and the content type its media type; texts are in UTF-8. Name the artifact in `artifacts` of a run, so that its model sees the image or reads the text with `artifact_read`. An artifact that no run was created with is deleted after 24 hours.',
        consumes: ['text/plain', 'application/octet-stream'],
        headers: KeyHeaders,
        body: z.union([z.string(), z.custom<Buffer>((body) => Buffer.isBuffer(body))]),
        response: described(() => ({
          201: ArtifactSchema,
          400: ProblemDetails,
          409: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const mediaType = artifactType(request);
      const served = await once(request, {
        make: (onCommit) => engine.createArtifact({ mediaType, content: request.body }, onCommit),
        answer: (artifact: Artifact) => ({
          status: 201,
          location: `/v1/artifacts/${artifact.id}`,
          body: artifactView(artifact),
        }),
      });
      return replyWith(reply, served);
    },
  );

  app.get(
    '/v1/uploads',
    {
      schema: {
        summary: 'List the artifacts of clients that no run was created with yet, newest first',
        querystring: ListQuery,
        response: described(() => ({ 200: ArtifactList, 400: ProblemDetails })),
      },
    },
    async (request) => pageOf(await read.unusedUploads(pageOptions(request.query)), artifactView),
  );

  app.get(
    '/v1/runs/:id/artifacts',
    {
      schema: {
        summary: "List a run's artifacts, oldest first",
        params: IdParameters,
        querystring: ListQuery,
        response: described(() => ({
          200: ArtifactList,
          400: ProblemDetails,
          404: ProblemDetails,
        })),
      },
    },
    async (request) => {
      const { id } = await runs.existing(request.params.id);
      return pageOf(await read.artifacts(id, pageOptions(request.query)), artifactView);
    },
  );

  app.get(
    '/v1/artifacts/:id',
    {
      schema: {
        summary: 'Get an artifact',
        description: 'A single byte range may be requested with `Range: bytes=…`.',
        params: IdParameters,
        headers: ArtifactHeaders,
        response: described(() => ({
          200: ArtifactContent,
          206: ArtifactContent,
          400: ProblemDetails,
          404: ProblemDetails,
          416: ProblemDetails,
        })),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const artifact = await read.artifact(id);
      if (artifact === undefined)
        throw new Problem('artifact_not_found', `no artifact has the id "${id}"`);
      const bytes = artifact.data ?? Buffer.from(artifact.text);
      reply.headers({ ...contentHeaders(artifact), 'accept-ranges': 'bytes' });
      const range = rangeOf(request.headers.range, bytes.length);
      if (range === undefined) return sendBytes(reply, bytes);
      if (range.from >= bytes.length) {
        reply.header('content-range', `bytes */${bytes.length}`);
        throw new Problem('range_not_satisfiable', `the artifact has ${bytes.length} bytes`);
      }
      reply.code(206).header('content-range', `bytes ${range.from}-${range.to}/${bytes.length}`);
      return sendBytes(reply, bytes.subarray(range.from, range.to + 1));
    },
  );
}

function artifactView({
  id,
  runId,
  callId,
  mediaType,
  bytes,
  originalBytes,
  createdAt,
}: ListedArtifact): z.output<typeof ArtifactSchema> {
  return {
    id,
    ...(runId === '' ? {} : { run_id: runId, call_id: callId }),
    media_type: mediaType,
    bytes,
    original_bytes: originalBytes,
    created_at: new Date(createdAt).toISOString(),
  };
}

/**
 * Media types that a browser displays without executing content. Other types are served as bytes.
 */
const SHOWN_TYPE =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]{1,50}|video\/[\w.+-]{1,50}|application\/pdf)$/;

/** Returns headers that keep a browser from rendering an artifact as a page of this service. */
function contentHeaders({ data, mediaType }: Artifact): { readonly [header: string]: string } {
  if (data === undefined) return { 'content-type': 'text/plain; charset=utf-8' };
  const type = SHOWN_TYPE.test(mediaType) ? mediaType : 'application/octet-stream';
  return {
    'content-type': type,
    'content-disposition': 'attachment',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  };
}

/** Sends bytes, since a range of a text may end within a character. */
function sendBytes(reply: object, bytes: Buffer): FastifyReply {
  return (reply as FastifyReply).send(bytes);
}

/**
 * Returns the range of bytes, both ends inclusive. Undefined without a range or for an unsupported
 * one, which is ignored.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 */
function rangeOf(
  header: string | undefined,
  total: number,
): { readonly from: number; readonly to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '')
    return Number(last) === 0
      ? { from: total, to: total }
      : { from: Math.max(0, total - Number(last)), to: total - 1 };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { from: Number(first), to: Math.min(last === '' ? total - 1 : Number(last), total - 1) };
}
