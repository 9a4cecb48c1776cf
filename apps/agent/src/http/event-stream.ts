import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Run } from '../ports/store/run.ts';
import { RunFollower, type RunFrame } from '../run/follow/follow-run.ts';
import { DELTA_TYPE, type EventFilter } from './event-schemas.ts';
import { framesOf, type FrameEncoder } from './frame-encoder.ts';
import { failedRequest, type FailedRequest } from './request-id.ts';
import { reportLater } from './request-log.ts';
import type { RouteDependencies } from './route.ts';
import { SseWriter } from './sse-writer.ts';

/** Maximum number of open streams whose frames wait a millisecond to be sent together. With a thousand streams the waiting frames take too much memory. */
const MAX_GATHERING = 64;

async function writeAll(
  encoder: FrameEncoder,
  writer: SseWriter,
  frames: readonly RunFrame[],
): Promise<void> {
  await writer.drained();
  for (const frame of encoder.encodeAll(frames)) if (!writer.push(frame)) await writer.drained();
}

export interface RunStream {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly run: Run;
  readonly after: number;
  /** Default: all events and deltas. */
  readonly isWanted?: EventFilter | undefined;
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
  { request, reply, run, after, isWanted, freeSlot }: RunStream,
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
    isWanted,
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
  readonly isWanted: EventFilter | undefined;
  readonly failed: FailedRequest;
  /** Called at the end. */
  readonly freeSlots: readonly ((() => void) | undefined)[];
  /** Called at the end. */
  readonly report: (() => void) | undefined;
}

/**
 * Writes the stream until the run is settled and every event is sent, or the client disconnects. A
 * stream that fails is cut off, so that its client does not mistake the failure for the end of the run.
 */
async function stream(
  { follow, watch, frames, metrics, heartbeats, onError }: RouteDependencies,
  writer: SseWriter,
  { runId, after, isWanted, failed, freeSlots, report }: Streamed,
): Promise<void> {
  const follower = new RunFollower(
    { read: follow, watch },
    {
      runId,
      after,
      onNext: (signal) =>
        writer.pushAll(
          isWanted === undefined
            ? frames.encodeSignal(signal)
            : wantedFrames(framesOf(signal), isWanted).map((frame) => frames.encode(frame)),
          { isGathering: heartbeats.count <= MAX_GATHERING },
        ),
    },
  );
  const stopWatching = writer.onClose(() => follower.stop());
  const streamClosed = metrics.streamOpened();
  heartbeats.add(writer);
  try {
    for await (const batch of follower)
      await writeAll(frames, writer, wantedFrames(batch.splice(0), isWanted));
    writer.end();
  } catch (error) {
    onError(error, failed);
    writer.destroy();
  } finally {
    stopWatching();
    heartbeats.remove(writer);
    streamClosed();
    for (const free of freeSlots) free?.();
    report?.();
  }
}

/** Returns the frames for a reader with a filter: snapshots and gaps, and the events and deltas that it wants. */
function wantedFrames(
  frames: readonly RunFrame[],
  isWanted: EventFilter | undefined,
): readonly RunFrame[] {
  if (isWanted === undefined) return frames;
  return frames.filter((frame) => {
    if (frame.type === 'event') return isWanted(frame.event.type);
    return frame.type !== 'delta' || isWanted(DELTA_TYPE);
  });
}

/** Whether the client accepts an event stream. */
export function acceptsEventStream(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '')
    .split(',')
    .some((each) => each.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}
