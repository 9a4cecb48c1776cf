import type { RunEvent as SentEvent } from '@signalbox/client';
import type { RunEvent } from '../ports/store/run-event.ts';
import { eventBody } from '../run/core/events.ts';
import { terminalJson } from '../text/terminal-text.ts';
import { questionOf } from './question-of.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { RunPrinter } from './run-printer.ts';
import type { ServiceClient } from './service-client.ts';

const SETTLED: ReadonlyMap<string, number> = new Map([
  ['run.completed', EXIT.done],
  ['run.failed', EXIT.failed],
  ['run.cancelled', EXIT.failed],
  ['run.expired', EXIT.failed],
]);

/**
 * Prints the stored events of a run of a running service until it is settled, and how to answer its
 * inbox items. Returns the exit code. Ctrl-C stops following; the run continues.
 */
export async function followService(
  io: Io,
  client: ServiceClient,
  { id, isJson }: { readonly id: string; readonly isJson: boolean },
): Promise<number> {
  const stop = new AbortController();
  const unsubscribe = io.onInterrupt(() => stop.abort());
  const printer = new RunPrinter(io);
  let code: number = EXIT.failed;
  const onRetry = ({ delayMs }: { readonly delayMs: number }): void =>
    printer.line(
      `the connection to the service is lost; trying again in ${Math.ceil(delayMs / 1000)} s`,
    );
  try {
    // A service that cannot be used ends the command at once; only a stream that was open is opened again.
    await client.request((api, signal) =>
      api.GET('/v1/runs/{id}', { params: { path: { id } }, signal }),
    );
    for await (const sent of client.events(id, { signal: stop.signal, onRetry })) {
      if (isJson) io.out(`${terminalJson(sent)}\n`);
      else print(printer, eventOf(sent));
      code = SETTLED.get(sent.type) ?? code;
    }
    return code;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    printer.line(`the run continues; signalbox cancel ${id} cancels it`);
    return EXIT.interrupted;
  } finally {
    printer.end();
    unsubscribe();
  }
}

function print(printer: RunPrinter, event: RunEvent): void {
  printer.frame({ type: 'event', event });
  const body = eventBody(event);
  if (body.type !== 'inbox.opened') return;
  const { inbox_item_id: itemId, kind, request } = body.data;
  printer.line(`? ${questionOf({ id: itemId, kind, request })}`);
  printer.line(`answer with: signalbox inbox answer ${itemId}`);
}

/** Returns an event of the REST API as the service has it. */
function eventOf({ run_id: runId, seq, type, version, at, data }: SentEvent): RunEvent {
  return { runId, seq, type, version, at: Date.parse(at), data };
}
