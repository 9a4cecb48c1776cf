import { describe, expect, test, vi } from 'vitest';
import type { ToolCallRequest } from '../../ports/tool-dispatcher.ts';
import { RESUME_AFTER_MS } from './parked-calls.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const never = new Promise<never>(() => undefined);
const AUTO = { w: { approval: 'auto', sampling: 'ask' } } as const;
const script = callsThenAnswer([[{ name: 'w__order' }]]);

const ASKED = {
  inputRequests: {
    size: {
      method: 'elicitation/create',
      params: { message: 'size?', requestedSchema: { type: 'object', properties: {} } },
    },
  },
  requestState: 'sealed',
};

/** Asks as a modern server does: the call is over until it comes again with the answer. */
async function askedBefore({
  resumeFrom,
  rounds,
  inputHandlers,
  signal,
}: ToolCallRequest): Promise<unknown> {
  if (resumeFrom === undefined) await rounds!.save(ASKED);
  else expect(resumeFrom).toEqual(ASKED);
  const answer = await inputHandlers.elicit!(
    { message: 'size?', requestedSchema: { type: 'object', properties: {} } },
    { signal, meta: {}, key: 'size' },
  );
  await rounds!.discard();
  return answer;
}

function ordering(): { readonly effects: unknown[]; readonly tool: FakeTool } {
  const effects: unknown[] = [];
  return {
    effects,
    tool: {
      call: async (request) => {
        effects.push(await askedBefore(request));
        return ok('ordered');
      },
    },
  };
}

async function open(tool: FakeTool, more: Partial<ServiceOptions> = {}): Promise<Service> {
  return openService({ script, tools: { w__order: tool }, policies: AUTO, ...more });
}

async function reopen(
  service: Service,
  tool: FakeTool,
  more: Partial<ServiceOptions> = {},
): Promise<Service> {
  await service.kill();
  return open(tool, { dataDir: service.dataDir, clock: service.clock, ...more });
}

describe('a call of a modern server with an input request', () => {
  test('continues after a restart with a response from before or after it', async () => {
    const { effects, tool } = ordering();
    const service = await open(tool);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.status(id, 'input_required');
    const item = await service.item(id);
    const next = await reopen(service, tool);
    expect(await next.item(id)).toMatchObject({ id: item.id, state: 'open' });
    await next.engine.respond(item.id, { action: 'accept', content: {} });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    expect(effects).toEqual([{ action: 'accept', content: {} }]);
    expect(await next.call(id)).toMatchObject({
      state: 'succeeded',
      attempt: 1,
      parked: undefined,
    });
    expect((await next.types(id)).filter((type) => type === 'inbox.opened')).toHaveLength(1);
  });

  test('is unknown when the process crashes after it was sent again', async () => {
    const { tool } = ordering();
    const service = await open(tool, { crashAt: 'after-resume-call-commit' });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.status(id, 'input_required');
    await service.engine.respond((await service.item(id)).id, { action: 'accept', content: {} });
    await service.crashed;
    const next = await reopen(service, tool);
    await next.event(id, 'tool_call.outcome_unknown');
    expect(await next.call(id)).toMatchObject({ state: 'unknown' });
  });

  test('keeps its input request when its connection is lost, and continues over the next one', async () => {
    const { effects, tool } = ordering();
    let isLost = true;
    const service = await open({
      call: async (request) => {
        if (!isLost) return tool.call(request);
        isLost = false;
        await request.rounds!.save(ASKED);
        const withdrawn = new AbortController();
        const asked = request.inputHandlers.elicit!(
          { message: 'size?', requestedSchema: { type: 'object', properties: {} } },
          { signal: withdrawn.signal, meta: {}, key: 'size' },
        );
        await service.status(request.runId, 'input_required');
        withdrawn.abort();
        await asked.catch(() => undefined);
        return { type: 'lost', message: 'the server ended' };
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.status(id, 'input_required');
    await service.engine.respond((await service.item(id)).id, { action: 'decline' });
    await vi.waitFor(() => {
      service.clock.advance(RESUME_AFTER_MS);
      expect(service.registry.sent).toHaveLength(2);
    });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(effects).toEqual([{ action: 'decline' }]);
  });

  test('of a run that is being cancelled is not continued', async () => {
    const { effects, tool } = ordering();
    const service = await open({ call: (request) => Promise.race([tool.call(request), never]) });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.status(id, 'input_required');
    const cancelling = service.engine.cancelRun(id).catch(() => undefined);
    await service.event(id, 'run.cancelling');
    const next = await reopen(service, tool);
    await cancelling;
    expect(await next.settled(id)).toMatchObject({ status: 'cancelled' });
    expect(await next.call(id)).toMatchObject({ state: 'cancelled', cancel: 'confirmed' });
    expect(effects).toEqual([]);
  });
});

describe('a call that became a task', () => {
  const taken: FakeTool = {
    call: ({ onTask, resumeFrom }) => {
      if (resumeFrom !== undefined)
        return Promise.resolve(ok(`the result of ${JSON.stringify(resumeFrom)}`));
      onTask!('task-1');
      return never;
    },
  };

  test('is polled by the next process with the same task id', async () => {
    const service = await open(taken);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'tool_call.working');
    expect(await service.call(id)).toMatchObject({ state: 'working', taskId: 'task-1' });
    const next = await reopen(service, taken);
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    expect((await next.call(id)).result).toMatchObject({
      content: [{ text: 'the result of {"taskId":"task-1"}' }],
    });
  });

  test('that the service cannot continue is settled by a person after twelve attempts', async () => {
    const service = await open(taken);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'tool_call.working');
    const next = await reopen(service, taken, { isStarted: false });
    next.registry.admission = () => Promise.reject(new Error('the pool is broken'));
    await next.engine.start();
    for (let times = 1; times < 12; times += 1) {
      await expect.poll(async () => (await next.call(id)).failures).toBe(times);
      next.clock.advance(5000);
    }
    await next.event(id, 'tool_call.outcome_unknown');
    expect(await next.item(id)).toMatchObject({ kind: 'outcome_unknown' });
  });

  test('is settled by a person when its server no longer knows the task', async () => {
    const service = await open(taken);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'tool_call.working');
    const next = await reopen(service, {
      call: () => Promise.resolve({ type: 'lost', message: 'no such task', isForgotten: true }),
    });
    await next.event(id, 'tool_call.outcome_unknown');
    expect(await next.item(id)).toMatchObject({ kind: 'outcome_unknown' });
  });
});
