import { expect } from 'vitest';
import type { StoreReader } from '../../ports/store.ts';
import { usageData } from '../limits/usage.ts';
import { foldEvents } from './fold.ts';

/** Fails unless the events of every run are numbered without gaps and agree with its rows. */
export async function expectFoldMatches(read: StoreReader): Promise<void> {
  const { data: runs } = await read.runs({ limit: 1000 });
  for (const { id } of runs) {
    const run = await read.run(id);
    if (run === undefined) throw new Error(`the run ${id} is listed and not there`);
    const events = await read.events(run.id, { after: 0, limit: 100_000 });
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(run.lastSeq).toBe(events.length);
    const calls = await read.toolCalls(run.id);
    const items = await read.inboxItems({ runId: run.id });
    expect(foldEvents(events)).toEqual({
      status: run.status,
      answer: run.answer,
      error: events.some((event) => event.type === 'run.failed' || event.type === 'run.expired')
        ? run.error
        : undefined,
      turns: run.turns,
      usage: run.usage && usageData(run.usage),
      openMessage: (await read.activeTurn(run.id))?.messageId,
      calls: new Map(calls.map((call) => [call.id, { state: call.state, attempt: call.attempt }])),
      inbox: new Map(items.map((item) => [item.id, item.state])),
    });
  }
}
