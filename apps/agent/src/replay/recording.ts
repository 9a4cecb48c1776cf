import type { Epoch, StoredCatalogue } from '../ports/store/epoch.ts';
import { isSettled, type Run } from '../ports/store/run.ts';
import type { InboxItem } from '../ports/store/inbox.ts';
import type { StoreReader } from '../ports/store.ts';
import type { StoredMessage } from '../ports/store/message.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import { eventBody, type RunEventBody } from '../run/core/events.ts';

/** A settled run with its decisions and inputs. */
export interface Recording {
  readonly run: Run;
  readonly messages: readonly StoredMessage[];
  readonly calls: readonly ToolCall[];
  readonly items: readonly InboxItem[];
  readonly events: readonly RunEventBody[];
  readonly epoch: Epoch;
  readonly catalogues: readonly StoredCatalogue[];
}

/** Thrown for a run that cannot be replayed. */
export class ReplayError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReplayError';
  }
}

const PAGE = 1000;

/**
 * Reads the recording of a run. `place` says in error texts where the run was looked for.
 * @throws ReplayError when the run does not exist or its recording is incomplete
 */
export async function readRecording(
  read: StoreReader,
  runId: string,
  place: string,
): Promise<Recording> {
  const run = await read.run(runId);
  if (run === undefined) throw new ReplayError(`no run ${runId} in ${place}`);
  if (run.kind === 'call')
    throw new ReplayError(`the run ${runId} is a single tool call: there is no loop to replay`);
  if (!isSettled(run))
    throw new ReplayError(
      `the run ${runId} is not settled: it is ${run.status}; wait for it or cancel it`,
    );
  const decisions = await readDecisions(read, run);
  if (hasOtherStops(decisions.events))
    throw new ReplayError(
      `the run ${runId} was stopped by a limit and resumed: such a run cannot be replayed`,
    );
  const epoch = await read.epoch(runId);
  if (epoch === undefined)
    throw new ReplayError(
      `the run ${runId} has no turns, or an earlier version recorded it without its tools`,
    );
  return {
    ...decisions,
    items: await read.inboxItems({ runId }),
    epoch,
    catalogues: await read.catalogues(runId),
  };
}

/** Whether a client resumed the run after something other than a failed model call. */
function hasOtherStops(events: readonly RunEventBody[]): boolean {
  return events.some(({ type, data }, at) => {
    const end = events[at - 1];
    if (type !== 'run.resumed' || data.reason !== 'requested') return false;
    return end?.type !== 'run.failed' || !end.data.error.code.startsWith('llm_');
  });
}

/** Decisions of a run. */
export type Decisions = Pick<Recording, 'run' | 'messages' | 'calls' | 'events'>;

export async function readDecisions(read: StoreReader, run: Run): Promise<Decisions> {
  const events: RunEventBody[] = [];
  for (let after = 0; after < run.lastSeq; after += PAGE)
    events.push(...(await read.events(run.id, { after, limit: PAGE })).map(eventBody));
  return {
    run,
    messages: await read.messages(run.id),
    calls: await read.toolCalls(run.id),
    events,
  };
}
