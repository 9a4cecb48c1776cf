import { createClient, type InboxItem } from '@signalbox/client';
import { expect, inject } from 'vitest';

/** Creates a client of the service that the tests share. */
export const clientOf = () => createClient({ baseUrl: inject('service') });

/** Calls a tool without a model. Returns the id of the run. */
export async function callTool(tool: string, args: object = {}): Promise<string> {
  const response = await fetch(`${inject('service')}/v1/tools/${tool}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: args }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { readonly id: string }).id;
}

/** Returns the open inbox item of a run, and waits until it has one. */
export async function openItemOf(runId: string): Promise<InboxItem> {
  const found = await expect
    .poll(async () => (await clientOf().runs.get(runId)).inbox[0]?.id, { timeout: 30_000 })
    .toBeTypeOf('string')
    .then(() => clientOf().runs.get(runId));
  const [item] = found.inbox;
  if (item === undefined) throw new Error(`the run ${runId} has no open item`);
  return item;
}
