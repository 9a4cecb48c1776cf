import { describe, expect, test } from 'vitest';
import type { CallWaiting } from '../../ports/tool-catalogue.ts';
import type { CallReservationRequest } from '../../ports/tool-dispatcher.ts';
import { createServiceEdge } from '../../http/testing/service-edge.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const BUSY: CallWaiting = {
  reason: 'connections_busy',
  message: 'the only connection to the server carries calls of other runs',
};

interface Waiting {
  readonly id: string;
  readonly service: Service;
  /** The call gets its connection. */
  readonly admit: () => void;
  readonly effects: readonly string[];
}

async function open(
  effects: string[],
  rest: Partial<Parameters<typeof openService>[0]> = {},
): Promise<Service> {
  const write = (): Promise<ReturnType<typeof ok>> => {
    effects.push('write');
    return Promise.resolve(ok('done'));
  };
  return openService({
    policies: { w: { approval: 'auto', sampling: 'ask' } },
    script: callsThenAnswer([[{ name: 'w__write' }]]),
    tools: { w__write: { call: write } },
    ...rest,
  });
}

/** A run with a call, which is not repeatable, that waits for a connection to its server. */
async function waiting(): Promise<Waiting> {
  const effects: string[] = [];
  const service = await open(effects);
  const admission = Promise.withResolvers<void>();
  service.registry.admission = ({ signal, onWaiting }: CallReservationRequest) => {
    onWaiting?.(BUSY);
    signal.addEventListener('abort', () => admission.resolve(), { once: true });
    return admission.promise;
  };
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'tool_call.waiting');
  return { id, service, admit: admission.resolve, effects };
}

describe('a call that waits for a connection to its server', () => {
  test('is planned with the reason of the wait, and dispatched when it is sent', async () => {
    const { id, service, admit } = await waiting();
    expect(await service.call(id)).toMatchObject({ state: 'planned', attempt: 0 });
    expect((await service.event(id, 'tool_call.waiting')).data).toMatchObject({
      attempt: 1,
      ...BUSY,
    });
    expect(await service.types(id)).not.toContain('tool_call.dispatched');
    admit();
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect((await service.types(id)).filter((type) => type.startsWith('tool_call.'))).toEqual([
      'tool_call.planned',
      'tool_call.waiting',
      'tool_call.dispatched',
      'tool_call.completed',
    ]);
  });

  test('is sent by the next process when the service is killed, without a decision by a person', async () => {
    const { id, service, effects } = await waiting();
    await service.kill();
    const next = await open([], { dataDir: service.dataDir, clock: service.clock });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    expect(await next.call(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
    expect(effects).toEqual([]);
    expect(next.registry.sent).toHaveLength(1);
  });

  test('is sent by the next process when the service closes', async () => {
    const { id, service, effects } = await waiting();
    await service.engine.close();
    expect(await service.call(id)).toMatchObject({ state: 'planned', attempt: 0 });
    expect(effects).toEqual([]);
  });

  test('is cancelled with its run: nothing was sent', async () => {
    const { id, service, effects } = await waiting();
    await service.engine.cancelRun(id);
    expect(await service.settled(id)).toMatchObject({ status: 'cancelled' });
    expect((await service.event(id, 'tool_call.cancelled')).data).toMatchObject({
      outcome: 'not_sent',
    });
    expect(effects).toEqual([]);
  });

  test('shows the reason of the wait in the lists of calls', async () => {
    const { id, service } = await waiting();
    const call = await service.call(id);
    service.registry.status = {
      w: { waiting: [{ ...BUSY, runId: id, callId: call.id, since: 0 }] },
    };
    const edge = await createServiceEdge(service);
    const shown = { state: 'planned', waiting: { ...BUSY, since: '1970-01-01T00:00:00.000Z' } };
    expect((await edge.request('GET', `/v1/runs/${id}/tool-calls`)).json()).toMatchObject({
      data: [shown],
    });
    expect(
      (await edge.request('GET', `/v1/runs/${id}/tool-calls/${call.id}`)).json(),
    ).toMatchObject(shown);
  });
});
