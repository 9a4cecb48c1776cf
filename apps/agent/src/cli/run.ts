import type { App } from '../app.ts';
import type { Run, RunEvent } from '../ports/run-store.ts';
import { followRun } from '../run/follow-run.ts';
import { eventView } from '../http/views.ts';
import { answerInboxItem, type Asked } from './answer-inbox.ts';
import type { Io } from './io.ts';
import { RunPrinter } from './run-printer.ts';

export interface RunCommand {
  readonly prompt: string;
  readonly servers: readonly string[];
  readonly isJson: boolean;
}

/**
 * Runs one task in this process, prints its events, and returns the settled run. The first Ctrl-C cancels the run to the far end and goes on
 * printing until it is settled; the second gives up waiting.
 */
export async function runTask(io: Io, app: App, { prompt, servers, isJson }: RunCommand): Promise<Run | undefined> {
  await app.start();
  const run = await app.engine.createRun({ prompt, ...(servers.length === 0 ? {} : { servers }) });
  const printer = isJson ? jsonPrinter(io) : new RunPrinter(io);
  const stop = new AbortController();
  let interrupts = 0;
  const unsubscribe = io.onInterrupt(() => {
    interrupts += 1;
    if (interrupts > 1) stop.abort();
    else cancel(io, app, run.id);
  });
  try {
    for await (const frame of followRun(app, { runId: run.id, after: 0, signal: stop.signal })) {
      printer.frame(frame);
      if (frame.type === 'event' && frame.event.type === 'inbox.opened') answer(io, app, { event: frame.event, signal: stop.signal });
    }
    printer.end();
    return await app.read.run(run.id);
  } finally {
    stop.abort();
    unsubscribe();
  }
}

function cancel(io: Io, app: App, runId: string): void {
  io.err('\ncancelling; Ctrl-C again stops waiting\n');
  app.engine.cancelRun(runId, 'interrupted at the terminal').catch((error: unknown) => {
    io.err(`the run could not be cancelled: ${error instanceof Error ? error.message : String(error)}\n`);
  });
}

function answer(io: Io, app: App, { event, signal }: { event: RunEvent; signal: AbortSignal }): void {
  const item = askedOf(event);
  if (!io.canAsk) {
    io.err(`  nobody can be asked here; answer with: signalbox serve, then POST /v1/inbox/${item.id}/respond\n`);
    return;
  }
  answerInboxItem(io, app.engine, { item, signal }).catch((error: unknown) => {
    io.err(`  the answer was not taken: ${error instanceof Error ? error.message : String(error)}\n`);
  });
}

function askedOf({ data }: RunEvent): Asked {
  return { id: String(data['inbox_item_id']), kind: String(data['kind']), request: data['request'] as Asked['request'] };
}

function jsonPrinter(io: Io): Pick<RunPrinter, 'frame' | 'end'> {
  return {
    frame(frame) {
      if (frame.type === 'event') io.out(`${JSON.stringify(eventView(frame.event))}\n`);
    },
    end: () => undefined,
  };
}
