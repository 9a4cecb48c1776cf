import { expect, test } from 'vitest';
import type { ToolCallRequest } from '../../ports/tool-dispatcher.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';

/** A run whose call sends a person to a URL, and what its server would say. */
async function visiting(): Promise<{
  readonly service: Service;
  readonly id: string;
  readonly complete: (elicitationId: string) => void;
}> {
  const called = Promise.withResolvers<ToolCallRequest>();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__visit' }]]),
    tools: {
      a__visit: {
        annotations: READ_ONLY,
        call: async (request) => {
          called.resolve(request);
          const question = {
            mode: 'url',
            message: 'sign in',
            url: 'https://example.org/',
            elicitationId: 'e1',
          } as const;
          return ok(
            (
              await request.inputHandlers.elicit!(question, {
                signal: new AbortController().signal,
                meta: {},
              })
            ).action,
          );
        },
      },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  const { onElicitationComplete } = await called.promise;
  return { service, id, complete: (elicitationId) => onElicitationComplete?.(elicitationId) };
}

test('an elicitation by URL that the server reports as complete is shown as complete, once, and does not answer the item', async () => {
  const { service, id, complete } = await visiting();
  const { id: itemId } = await service.item(id);
  for (const elicitationId of ['e2', 'e1', 'e1']) complete(elicitationId);
  const event = await service.event(id, 'inbox.completed');
  expect(event.data).toMatchObject({ inbox_item_id: itemId, kind: 'elicitation_url' });
  expect(await service.read.inboxItem(itemId)).toMatchObject({
    state: 'open',
    request: { url: 'https://example.org/', elicitation_id: 'e1', is_completed: true },
  });
  await service.engine.respond(itemId, { action: 'accept' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect((await service.types(id)).filter((type) => type === 'inbox.completed')).toHaveLength(1);
});

test.runIf(IN_SQLITE)(
  'an elicitation that is complete after the end of the run is stored, and no event follows the last event',
  async () => {
    const { service, id, complete } = await visiting();
    const { id: itemId } = await service.item(id);
    await service.engine.respond(itemId, { action: 'accept' });
    await service.settled(id);
    complete('e1');
    // The next look waits its turn behind the write.
    await service.store.write({}, async () => undefined);
    expect(await service.read.inboxItem(itemId)).toMatchObject({
      state: 'delivered',
      request: { is_completed: true },
    });
    expect((await service.types(id)).at(-1)).toBe('run.completed');
  },
);
