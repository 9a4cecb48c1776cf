import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import { terminalJson } from '../text/terminal-text.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { RunPrinter } from './run-printer.ts';
import { ServiceError, type ServiceClient } from './service-client.ts';

const SETTLED: ReadonlyMap<string, number> = new Map([
  ['run.completed', EXIT.done],
  ['run.failed', EXIT.failed],
  ['run.cancelled', EXIT.failed],
  ['run.expired', EXIT.failed],
]);

/** Prints the stored events of a run of a running service until it is settled. Returns the exit code. Ctrl-C stops following; the run continues. */
export async function followService(
  io: Io,
  client: ServiceClient,
  { id, isJson }: { readonly id: string; readonly isJson: boolean },
): Promise<number> {
  const stop = new AbortController();
  const unsubscribe = io.onInterrupt(() => stop.abort());
  const printer = new RunPrinter(io);
  let code: number = EXIT.failed;
  try {
    for await (const { event, data } of storedEvents(client, id, stop.signal)) {
      if (isJson) io.out(`${terminalJson(data)}\n`);
      else printer.frame({ type: 'event', event });
      code = SETTLED.get(event.type) ?? code;
    }
    return code;
  } catch (error) {
    if (stop.signal.aborted) return EXIT.interrupted;
    throw error;
  } finally {
    printer.end();
    unsubscribe();
  }
}

interface StoredEvent {
  readonly event: RunEvent;
  /** JSON that the service sent. */
  readonly data: JsonObject;
}

/** Yields the events of a run up to the one that settles it. @throws ServiceError when the service ends the stream without an event */
async function* storedEvents(
  client: ServiceClient,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  let after = 0;
  for (;;) {
    const before = after;
    for await (const data of client.stream(
      `/v1/runs/${encodeURIComponent(id)}/events?after=${after}`,
      signal,
    )) {
      const event = eventOf(data);
      if (event === undefined) continue;
      after = event.seq;
      yield { event, data };
      if (SETTLED.has(event.type)) return;
    }
    // A stream ends early when the service stops; without progress the requests would repeat forever.
    if (after === before)
      throw new ServiceError(
        `the service ended the stream of run ${id}: follow it again when it is back`,
      );
  }
}

/** Returns the stored event of a frame, and undefined for a frame without `seq`. */
function eventOf({
  run_id: runId,
  seq,
  type,
  version,
  at,
  data,
}: JsonObject): RunEvent | undefined {
  if (typeof seq !== 'number' || typeof type !== 'string' || !isPlainObject(data)) return undefined;
  return {
    runId: String(runId),
    seq,
    type,
    version: Number(version),
    at: Date.parse(String(at)),
    data,
  };
}
