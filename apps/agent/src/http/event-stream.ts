import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { Run } from '../ports/store/run.ts';
import type { Clock } from '../ports/clock.ts';
import type { SignalWatch } from '../signals/signal-watch.ts';
import { followRun, type RunFrame } from '../run/follow/follow-run.ts';
import type { FollowReader } from '../run/follow/shared-run-reader.ts';
import type { FrameEncoder } from './frame-encoder.ts';
import { failedRequest } from './request-id.ts';
import type { RouteDependencies } from './route.ts';
import { SseWriter } from './sse-writer.ts';

export interface EventStreamDependencies {
  /** Reader that is shared by all streams of the same run. */
  readonly follow: FollowReader;
  readonly watch: SignalWatch;
  readonly clock: Clock;
  readonly frames: FrameEncoder;
  readonly metrics: Pick<ServiceMetrics, 'streamOpened'>;
}

const HEARTBEAT_MS = 15_000;

/**
 * Streams a run as server-sent events until the run is settled and every event is sent, or the client
 * disconnects. A response whose stream fails is not ended, so that the client does not mistake the
 * failure for the end of the run.
 */
export async function streamEvents(
  dependencies: EventStreamDependencies,
  response: ServerResponse,
  start: {
    readonly run: Run;
    readonly after: number;
    readonly headers: { readonly [name: string]: string };
  },
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.closed) gone.abort();
  const writer = new SseWriter(response, { clock: dependencies.clock, headers: start.headers });
  const streamClosed = dependencies.metrics.streamOpened();
  const stopHeartbeat = heartbeat(dependencies.clock, writer);
  try {
    const batches = followRun(
      { read: dependencies.follow, watch: dependencies.watch },
      {
        runId: start.run.id,
        after: start.after,
        signal: gone.signal,
        onFrames: (frames) =>
          writer.pushAll(frames.map((frame) => dependencies.frames.encode(frame))),
      },
    );
    for await (const batch of batches) await writeAll(dependencies.frames, writer, batch);
    writer.end();
  } finally {
    stopHeartbeat();
    streamClosed();
  }
}

/** Writes and removes the frames, so that a silent stream holds none. */
async function writeAll(
  encoder: FrameEncoder,
  writer: SseWriter,
  frames: RunFrame[],
): Promise<void> {
  await writer.drained();
  for (const frame of frames.splice(0))
    if (!writer.push(encoder.encode(frame))) await writer.drained();
}

export function heartbeat(clock: Clock, writer: SseWriter): () => void {
  let cancel = (): void => undefined;
  const schedule = (): void => {
    cancel = clock.after(HEARTBEAT_MS, () => {
      writer.keepAlive();
      schedule();
    });
  };
  schedule();
  return () => cancel();
}

export interface RunStream {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly run: Run;
  readonly after: number;
}

/**
 * Replies with the event stream of the run. Ends when the run is settled or the client disconnects.
 * @throws Problem `too_many_streams`
 */
export async function streamRun(
  dependencies: RouteDependencies,
  { request, reply, run, after }: RunStream,
): Promise<FastifyReply> {
  const freeSlot = dependencies.streams.takeOfRun(run.id);
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
  } finally {
    freeSlot();
  }
  return reply;
}

/** Whether the client accepts an event stream. */
export function acceptsEventStream(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '')
    .split(',')
    .some((each) => each.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}
