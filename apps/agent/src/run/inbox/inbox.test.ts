import { describe, expect, test } from 'vitest';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';

const AUTO = { a: { approval: 'auto', sampling: 'ask' } } as const;
const writes: FakeTool = { call: () => Promise.resolve(ok('written')) };

const lastResult = (service: Service): unknown =>
  service.llm.requests.at(-1)?.messages.at(-1)?.content[0];

describe('approval', () => {
  test.each([
    ['default', READ_ONLY, true, false],
    ['default', READ_ONLY, false, true],
    ['default', {}, true, true],
    ['auto', {}, false, false],
    ['ask', READ_ONLY, true, true],
  ] as const)(
    'policy %s, annotations %j, trusted %s: needs approval %s',
    async (approval, annotations, trusted, asks) => {
      const service = await openService({
        script: callsThenAnswer([[{ name: 'a__b' }]]),
        tools: { a__b: { annotations, trusted, call: () => Promise.resolve(ok('')) } },
        policies: { a: { approval, sampling: 'ask' } },
      });
      const { id } = await service.engine.createRun({ prompt: 'go' });
      const first = await service.until(async () =>
        (await service.types(id)).find(
          (type) => type === 'inbox.opened' || type === 'tool_call.dispatched',
        ),
      );
      expect(first).toBe(asks ? 'inbox.opened' : 'tool_call.dispatched');
    },
  );

  test('shows the call, and the call is sent when it is approved', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b', input: { path: 'x' } }]]),
      tools: { a__b: writes },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    expect(item).toMatchObject({
      kind: 'tool_approval',
      request: {
        server: 'a',
        tool: 'b',
        name: 'a__b',
        arguments: { path: 'x' },
        description: 'the tool a__b',
        trusted: true,
      },
      expiresAt: service.clock.now() + 86_400_000,
    });
    await service.status(id, 'input_required');
    expect(service.registry.sent).toEqual([]);
    service.clock.advance(5000);
    expect(await service.engine.respond(item.id, { action: 'approve' })).toMatchObject({
      state: 'delivered',
      response: { action: 'approve' },
    });
    expect(await service.settled(id)).toMatchObject({
      status: 'completed',
      waitedMs: 5000,
      waitingSince: undefined,
    });
    expect((await service.types(id)).filter((type) => /^(run|inbox|tool_call)/.test(type))).toEqual(
      [
        'run.queued',
        'run.started',
        'tool_call.planned',
        'inbox.opened',
        'run.input_required',
        'inbox.answered',
        'tool_call.approved',
        'inbox.delivered',
        'run.resumed',
        'tool_call.dispatched',
        'tool_call.completed',
        'run.completed',
      ],
    );
  });

  test('that is denied is reported to the model with the note, and nothing is sent', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: writes },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.engine.respond((await service.item(id)).id, {
      action: 'deny',
      note: 'use the other file',
    });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(service.registry.sent).toEqual([]);
    expect(lastResult(service)).toMatchObject({
      isError: true,
      content: [
        {
          text: 'A person denied this call; it was not made. Note: use the other file. Do not send it again unless the user asks for it.',
        },
      ],
    });
  });

  test('that is not given expires, and the run continues without the call', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: writes },
    });
    const { id } = await service.engine.createRun({
      prompt: 'go',
      limits: { inboxExpiryMs: 1000 },
    });
    const item = await service.item(id);
    service.clock.advance(999);
    expect((await service.read.inboxItem(item.id))?.state).toBe('open');
    service.clock.advance(1);
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect((await service.read.inboxItem(item.id))?.state).toBe('expired');
    expect(service.registry.sent).toEqual([]);
  });

  test('of one call does not delay other calls, and the run waits only when nothing else is in progress', async () => {
    const end = Promise.withResolvers<ToolCallOutcome>();
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }, { name: 'a__c' }]]),
      tools: { a__b: writes, a__c: { annotations: READ_ONLY, call: () => end.promise } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    await service.event(id, 'tool_call.dispatched');
    expect((await service.read.run(id))?.status).toBe('running');
    end.resolve(ok(''));
    await service.status(id, 'input_required');
    await service.engine.respond(item.id, { action: 'approve' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  });
});

describe('an unknown outcome', () => {
  async function lostCall(): Promise<{
    readonly service: Service;
    readonly id: string;
    readonly itemId: string;
  }> {
    const list: ToolCallOutcome[] = [{ type: 'lost', message: 'server died' }, ok('second time')];
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: { call: () => Promise.resolve(list.shift() ?? ok('')) } },
      policies: AUTO,
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    return { service, id, itemId: (await service.item(id)).id };
  }

  test('that is settled as retry sends the call again with the same idempotency key', async () => {
    const { service, id, itemId } = await lostCall();
    await service.engine.respond(itemId, { action: 'retry' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(await service.call(id)).toMatchObject({ state: 'succeeded', attempt: 2 });
    const [first, second] = service.registry.sent;
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
  });

  test('that is settled as done is reported to the model as the statement of a person', async () => {
    const { service, id, itemId } = await lostCall();
    await service.engine.respond(itemId, { action: 'mark_done', note: 'the file is there' });
    await service.settled(id);
    expect(await service.call(id)).toMatchObject({
      state: 'succeeded',
      attempt: 1,
      error: undefined,
    });
    expect(lastResult(service)).toMatchObject({
      content: [
        {
          text: 'The answer of this call was lost; a person looked and marked it as done. Note: the file is there.',
        },
      ],
    });
    expect(service.registry.sent).toHaveLength(1);
  });

  test('that is settled as failed is reported to the model as failed', async () => {
    const { service, id, itemId } = await lostCall();
    await service.engine.respond(itemId, { action: 'fail' });
    await service.settled(id);
    expect(await service.call(id)).toMatchObject({ state: 'failed' });
    expect(lastResult(service)).toMatchObject({ isError: true });
  });

  test('that is not settled stays unknown, and the model is warned not to repeat the call', async () => {
    const { service, id } = await lostCall();
    service.clock.advance(86_400_000);
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(await service.call(id)).toMatchObject({ state: 'unknown' });
    expect(JSON.stringify(lastResult(service))).toContain(
      'It is not known whether this call took effect: server died. Do not repeat it.',
    );
  });
});

describe('an answer', () => {
  test('to an item that does not exist is refused', async () => {
    const service = await openService({ script: () => ({ text: 'hi' }) });
    await expect(service.engine.respond('nothing', { action: 'approve' })).rejects.toMatchObject({
      code: 'inbox_item_not_found',
    });
  });

  test.runIf(IN_SQLITE)(
    'after an earlier answer is refused, also in a race, and changes nothing',
    async () => {
      const service = await openService({
        script: callsThenAnswer([[{ name: 'a__b' }]]),
        tools: { a__b: writes },
      });
      const { id } = await service.engine.createRun({ prompt: 'go' });
      const item = await service.item(id);
      const answers = await Promise.allSettled([
        service.engine.respond(item.id, { action: 'approve' }),
        service.engine.respond(item.id, { action: 'deny' }),
      ]);
      expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected']);
      expect(answers[1]).toMatchObject({ reason: { code: 'inbox_item_not_open' } });
      await expect(service.engine.respond(item.id, { action: 'deny' })).rejects.toMatchObject({
        code: 'inbox_item_not_open',
      });
      await service.settled(id);
      expect(await service.call(id)).toMatchObject({ state: 'succeeded' });
    },
  );

  test.each([
    [{}, 'action: must be one of approve, deny'],
    [{ action: 'retry' }, 'action: must be one of approve, deny'],
    [{ action: 'approve', note: 1 }, 'note: must be a string'],
    [
      { action: 'approve', content: {} },
      'content: is only part of an accepted form, or of an approved sampling request or reply',
    ],
    [
      { action: 'approve', answer: {} },
      'answer: is not a field of a response to an item of kind tool_approval',
    ],
  ])(
    'of the wrong shape is refused with the invalid field and leaves the item open: %j',
    async (response, message) => {
      const service = await openService({
        script: callsThenAnswer([[{ name: 'a__b' }]]),
        tools: { a__b: writes },
      });
      const { id } = await service.engine.createRun({ prompt: 'go' });
      const item = await service.item(id);
      await expect(service.engine.respond(item.id, response)).rejects.toMatchObject({
        code: 'invalid_response',
        message,
      });
      expect((await service.read.inboxItem(item.id))?.state).toBe('open');
    },
  );
});
