import { expect } from 'vitest';
import type * as z from 'zod';
import { RunEvent } from '../../http/event-response-schemas.ts';
import { InboxItem } from '../../http/inbox-response-schemas.ts';
import { unnamedFields } from '../../http/testing/checked-serializer.ts';
import { eventView, inboxItemView } from '../../http/views.ts';
import type { StoreReader } from '../../ports/store.ts';

/** Fails unless every stored event and inbox item is exactly as the OpenAPI document describes it. */
export async function expectDescribed(read: StoreReader): Promise<void> {
  const { data: runs } = await read.runs({ limit: 1000 });
  for (const run of runs) {
    for (const event of await read.events(run.id, { after: 0, limit: 100_000 }))
      expectView(RunEvent, eventView(event));
    for (const item of await read.inboxItems({ runId: run.id }))
      expectView(InboxItem, inboxItemView(item));
  }
}

function expectView(schema: z.ZodType, view: object): void {
  const sent: unknown = JSON.parse(JSON.stringify(view));
  const { error } = schema.safeEncode(sent);
  expect({ sent, error, unnamed: error === undefined ? unnamedFields(schema, sent) : [] }).toEqual({
    sent,
    error: undefined,
    unnamed: [],
  });
}
