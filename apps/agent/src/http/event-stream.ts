import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { Run } from '../ports/store/run.ts';
import type { Clock } from '../ports/clock.ts';
import type { SignalWatch } from '../signals/signal-watch.ts';
import { followRun, type RunFrame } from '../run/follow/follow-run.ts';
import type { FollowReader } from '../run/follow/shared-run-reader.ts';
import type { FrameEncoder } from './frame-encoder.ts';
import { failedRequest, type FailedRequest } from './request-id.ts';
import { reportLater } from './request-log.ts';
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
 * disconnects.
 */
async function writeEvents(
  dependencies: EventStreamDependencies,
  writer: SseWriter,
  { runId, after }: { readonly runId: string; readonly after: number },
): Promise<void> {
  const gone = new AbortController();
  writer.onClose(() => gone.abort());
  const streamClosed = dependencies.metrics.streamOpened();
  const stopHeartbeat = heartbeat(dependencies.clock, writer);
  try {
    const batches = followRun(
      { read: dependencies.follow, watch: dependencies.watch },
      {
        runId,
        after,
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
  /** Called when the stream has ended. */
  readonly freeSlot?: (() => void) | undefined;
}

/**
 * Replies with the event stream of the run, which ends when the run is settled or the client
 * disconnects. Resolves when the reply is no longer needed.
 * @throws Problem `too_many_streams`
 */
export async function streamRun(
  dependencies: RouteDependencies,
  { request, reply, run, after, freeSlot }: RunStream,
): Promise<FastifyReply> {
  const freeSlotOfRun = dependencies.streams.takeOfRun(run.id);
  reply.hijack();
  const isReplayed = reply.getHeader('idempotent-replayed') !== undefined;
  const writer = new SseWriter(reply.raw, {
    clock: dependencies.clock,
    connections: dependencies.connections,
    headers: {
      location: `/v1/runs/${run.id}`,
      ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
    },
  });
  const ended = stream(dependencies, writer, {
    runId: run.id,
    after,
    failed: failedRequest(request),
    freeSlots: [freeSlotOfRun, freeSlot],
    report: writer.hasTakenConnection ? reportLater(request, reply, dependencies) : undefined,
  });
  if (!writer.hasTakenConnection) await ended;
  return reply;
}

interface Streamed {
  readonly runId: string;
  readonly after: number;
  readonly failed: FailedRequest;
  /** Called at the end. */
  readonly freeSlots: readonly ((() => void) | undefined)[];
  /** Called at the end. */
  readonly report: (() => void) | undefined;
}

/** Writes the stream. A stream that fails is cut off, so that its client does not mistake the failure for the end of the run. */
async function stream(
  dependencies: RouteDependencies,
  writer: SseWriter,
  { runId, after, failed, freeSlots, report }: Streamed,
): Promise<void> {
  try {
    await writeEvents(dependencies, writer, { runId, after });
  } catch (error) {
    dependencies.onError(error, failed);
    writer.destroy();
  } finally {
    for (const free of freeSlots) free?.();
    report?.();
  }
}

/** Whether the client accepts an event stream. */
export function acceptsEventStream(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '')
    .split(',')
    .some((each) => each.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}
