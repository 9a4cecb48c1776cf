import type { ServerResponse } from 'node:http';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { ProviderInfo } from '../ports/llm-provider.ts';
import type { Run, RunReader } from '../ports/run-store.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Clock } from '../ports/test-hooks.ts';
import { followRun, type RunFrame } from '../run/follow-run.ts';
import { SseWriter, type SseFrame } from './sse-writer.ts';
import { eventView, runView } from './views.ts';

export interface EventStreamDependencies {
  readonly read: RunReader;
  readonly bus: SignalBus;
  readonly clock: Clock;
  readonly llm: { readonly info: ProviderInfo };
  readonly metrics: Pick<ServiceMetrics, 'streamOpened'>;
}

const HEARTBEAT_MS = 15_000;

/**
 * Streams a run to one reader as server-sent events until the run is settled and everything was sent, or the reader is gone. A response whose stream
 * fails is left open, so that the reader does not take its end for the end of the run.
 */
export async function streamEvents(dependencies: EventStreamDependencies, response: ServerResponse, start: { readonly run: Run; readonly after: number; readonly headers: { readonly [name: string]: string } }): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.closed) gone.abort();
  const writer = new SseWriter(response, start.headers);
  const streamClosed = dependencies.metrics.streamOpened();
  const stopHeartbeat = heartbeat(dependencies.clock, writer);
  try {
    const frames = followRun(dependencies, { runId: start.run.id, after: start.after, signal: gone.signal });
    for await (const frame of frames) await writer.write(sseFrame(frame, dependencies.llm.info));
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

function sseFrame(frame: RunFrame, info: ProviderInfo): SseFrame {
  switch (frame.type) {
    case 'snapshot': {
      const { run, partial, inbox } = frame;
      const text = partial === undefined ? {} : { partial: { message_id: partial.messageId, text: partial.text } };
      return { event: 'run.snapshot', data: { run: runView(run, inbox, info), ...text } };
    }
    case 'event':
      return { id: frame.event.seq, event: frame.event.type, data: eventView(frame.event) };
    case 'delta': {
      const { messageId, kind, offset, text } = frame.delta;
      return { event: 'message.delta', data: { message_id: messageId, kind, offset, text } };
    }
  }
}
