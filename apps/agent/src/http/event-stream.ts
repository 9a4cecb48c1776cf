import type { ServerResponse } from 'node:http';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { Run } from '../ports/run-store.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Clock } from '../ports/test-hooks.ts';
import { followRun } from '../run/follow-run.ts';
import type { FollowReader } from '../run/shared-run-reader.ts';
import type { FrameTexts } from './frame-texts.ts';
import { SseWriter } from './sse-writer.ts';

export interface EventStreamDependencies {
  /** Shared by those who follow the same run. */
  readonly follow: FollowReader;
  readonly bus: SignalBus;
  readonly clock: Clock;
  readonly frames: FrameTexts;
  readonly metrics: Pick<ServiceMetrics, 'streamOpened'>;
}

const HEARTBEAT_MS = 15_000;

/**
 * Streams a run to one reader as server-sent events until the run is settled and everything was sent, or the reader is gone. A response whose stream
 * fails is left open, so that the reader does not take its end for the end of the run.
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
    const frames = followRun(
      { read: dependencies.follow, bus: dependencies.bus },
      { runId: start.run.id, after: start.after, signal: gone.signal },
    );
    for await (const frame of frames) await writer.write(dependencies.frames.textOf(frame));
    writer.end();
  } finally {
    stopHeartbeat();
    streamClosed();
  }
}

export function heartbeat(clock: Clock, writer: SseWriter): () => void {
  let cancel = (): void => undefined;
  const schedule = (): void => {
    cancel = clock.after(HEARTBEAT_MS, () => {
      writer.comment('keep-alive');
      schedule();
    });
  };
  schedule();
  return () => cancel();
}
