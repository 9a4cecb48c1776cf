import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import type { RunEngine } from '../ports/run-engine.ts';
import type { Store } from '../ports/store.ts';
import { StorageError } from '../ports/store/errors.ts';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../run/testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../run/testing/service.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';

const TOOLS = {
  r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('42')) },
  r__slow: { annotations: READ_ONLY, call: untilCancelled() },
  w__write: { call: () => Promise.resolve(ok('written')) },
};

async function open(
  options: Partial<ServiceOptions> = {},
): Promise<{ readonly service: Service; readonly edge: ServiceEdge }> {
  const service = await openService({ script: () => ({ text: 'done' }), tools: TOOLS, ...options });
  return { service, edge: await createServiceEdge(service) };
}

const keyed = (key: string) => ({ 'idempotency-key': key });

async function runCount({ read }: Service): Promise<number> {
  return (await read.runs({ limit: 99 })).data.length;
}

test('a request without a key whose result cannot be read back says that it was executed', async () => {
  const { service } = await open();
  const busy = new StorageError('busy', 'nothing was changed, try again later');
  const read = { ...service.store.read, openInbox: () => Promise.reject(busy) };
  const edge = await createServiceEdge(service, { store: { ...service.store, read } });
  const response = await edge.request('POST', '/v1/runs', { body: { prompt: 'go' } });
  expect([response.statusCode, response.json()]).toEqual([
    503,
    expect.objectContaining({
      code: 'storage_busy',
      detail: 'the request was executed, but its result cannot be read at present',
    }),
  ]);
  expect(await runCount(service)).toBe(1);
});

describe('a request with an Idempotency-Key', () => {
  test('that is repeated gets the same response, byte for byte, and has no effect', async () => {
    const { service, edge } = await open();
    const first = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: keyed('k'),
    });
    const { id } = first.json<{ id: string }>();
    await service.settled(id);
    const again = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: keyed('k'),
    });
    expect([first.statusCode, first.headers['idempotent-replayed']]).toEqual([202, undefined]);
    expect([
      again.statusCode,
      again.headers.location,
      again.headers['idempotent-replayed'],
    ]).toEqual([202, `/v1/runs/${id}`, 'true']);
    expect(again.json()).toEqual(first.json());
    expect(again.json()).toMatchObject({ status: 'queued', last_seq: 1 });
    expect(await runCount(service)).toBe(1);
  });

  test('that is repeated after a restart gets the same response', async () => {
    const { service, edge } = await open();
    const first = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: keyed('k'),
    });
    await service.kill();
    const next = await openService({
      script: () => ({ text: 'done' }),
      dataDir: service.dataDir,
      clock: service.clock,
    });
    const again = await (
      await createServiceEdge(next)
    ).request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') });
    expect([again.json(), again.headers['idempotent-replayed']]).toEqual([first.json(), 'true']);
    expect(await runCount(next)).toBe(1);
  });

  test.each([
    ['before-create-run-commit', 0],
    ['after-create-run-commit', 1],
  ] as const)('whose service dies %s has its effect exactly once', async (crashAt, kept) => {
    const { service, edge } = await open({ crashAt });
    edge
      .request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') })
      .catch(() => undefined);
    await service.crashed;
    await service.kill();
    const next = await openService({
      script: () => ({ text: 'done' }),
      dataDir: service.dataDir,
      clock: service.clock,
    });
    expect(await runCount(next)).toBe(kept);
    const again = await (
      await createServiceEdge(next)
    ).request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') });
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([
      202,
      kept === 1 ? 'true' : undefined,
    ]);
    expect(await runCount(next)).toBe(1);
    await next.settled(again.json<{ id: string }>().id);
  });

  test('is recognized whatever the member order and white space of its body', async () => {
    const { edge } = await open();
    const send = (payload: string) =>
      edge.app.inject({
        method: 'POST',
        url: '/v1/runs',
        payload,
        headers: { host: 'localhost', 'content-type': 'application/json', ...keyed('k') },
      });
    const first = await send('{"prompt":"go","model":"m"}');
    expect((await send('{ "model": "m",\n "prompt": "go" }')).json()).toEqual(first.json());
  });

  test.each([
    ['another body', '/v1/runs', { prompt: 'stop' }],
    ['another path', '/v1/threads', { title: 'go' }],
  ])('and %s is a conflict', async (_name, url, body) => {
    const { service, edge } = await open();
    await edge.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') });
    const other = await edge.request('POST', url, { body, headers: keyed('k') });
    expect([other.statusCode, other.json<{ code: string }>().code]).toEqual([
      409,
      'idempotency_key_reused',
    ]);
    expect(await runCount(service)).toBe(1);
    expect((await service.read.threads({ limit: 9 })).data).toEqual([]);
  });

  test('that is still in progress is a temporary conflict', async () => {
    const service = await openService({ script: () => ({ text: 'done' }) });
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const createRun: RunEngine['createRun'] = async (...input) => {
      asked.resolve();
      await go.promise;
      return service.engine.createRun(...input);
    };
    const edge = await createServiceEdge(service, { engine: { createRun } });
    const first = edge.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') });
    await asked.promise;
    const second = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: keyed('k'),
    });
    expect([second.statusCode, second.headers['retry-after'], second.json()]).toEqual([
      409,
      '1',
      expect.objectContaining({ code: 'idempotency_key_in_use', retryable: true }),
    ]);
    expect(
      (
        await edge.request('POST', '/v1/runs', { body: { prompt: 'other' }, headers: keyed('k') })
      ).json(),
    ).toMatchObject({ code: 'idempotency_key_reused' });
    go.resolve();
    expect((await first).statusCode).toBe(202);
    expect(
      (await edge.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') }))
        .headers['idempotent-replayed'],
    ).toBe('true');
    expect(await runCount(service)).toBe(1);
  });

  describe('in progress in another process', () => {
    /** A request that one process has begun to serve, and a second process on the same database. */
    async function openTwo(owner?: string): Promise<{
      readonly first: Promise<LightMyRequestResponse>;
      readonly finish: () => void;
      readonly services: readonly [Service, Service];
      readonly send: () => Promise<LightMyRequestResponse>;
    }> {
      const service = await openService({ script: () => ({ text: 'done' }) });
      const begun = Promise.withResolvers<void>();
      const { promise: go, resolve: finish } = Promise.withResolvers<void>();
      const createRun: RunEngine['createRun'] = async (...input) => {
        begun.resolve();
        await go;
        return service.engine.createRun(...input);
      };
      const other = await openService({ script: () => ({ text: 'done' }), beside: service });
      const request = { body: { prompt: 'go' }, headers: keyed('k') };
      const edge = await createServiceEdge(service, {
        engine: { createRun },
        store: owner === undefined ? service.store : { ...service.store, workerId: owner },
      });
      const otherEdge = await createServiceEdge(other);
      const first = edge.request('POST', '/v1/runs', request);
      await begun.promise;
      const send = (): Promise<LightMyRequestResponse> =>
        otherEdge.request('POST', '/v1/runs', request);
      return { first, finish, services: [service, other], send };
    }

    test('is not served a second time there', async () => {
      const { first, finish, services, send } = await openTwo();
      expect((await send()).json()).toMatchObject({
        code: 'idempotency_key_in_use',
        retryable: true,
      });
      finish();
      const served = await first;
      const repeated = await send();
      expect([repeated.headers['idempotent-replayed'], repeated.json()]).toEqual([
        'true',
        served.json(),
      ]);
      expect(await runCount(services[0])).toBe(1);
    });

    test('control: is served by the second process when the first counts as dead, and then has no effect in the first', async () => {
      const { first, finish, services, send } = await openTwo('a worker that has ended');
      expect((await send()).statusCode).toBe(202);
      finish();
      expect((await first).json()).toMatchObject({ code: 'idempotency_key_in_use' });
      expect(await runCount(services[1])).toBe(1);
    });
  });

  test('that is refused releases its key', async () => {
    const { service, edge } = await open();
    const refused = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go', servers: ['nowhere'] },
      headers: keyed('k'),
    });
    expect(refused.json()).toMatchObject({ code: 'unknown_server' });
    const next = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: keyed('k'),
    });
    expect([next.statusCode, next.headers['idempotent-replayed']]).toEqual([202, undefined]);
    expect(await runCount(service)).toBe(1);
  });

  test('that fails internally releases its key', async () => {
    const service = await openService({ script: () => ({ text: 'done' }) });
    const failing: RunEngine['createRun'] = () => Promise.reject(new Error('the disk is full'));
    const broken = await createServiceEdge(service, { engine: { createRun: failing } });
    expect(
      (await broken.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') }))
        .statusCode,
    ).toBe(500);
    const whole = await createServiceEdge(service);
    expect(
      (await whole.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') }))
        .statusCode,
    ).toBe(202);
  });

  describe('whose claim is stored although the store reports an error', () => {
    /** An edge whose store reports that the first `failures` commits have an unknown outcome. */
    async function openUncertain(failures: number) {
      const service = await openService({ script: () => ({ text: 'done' }) });
      let left = failures;
      const write: Store['write'] = async (...input) => {
        const result = await service.store.write(...input);
        left -= 1;
        if (left >= 0) throw new StorageError('unreachable', 'the outcome is unknown');
        return result;
      };
      const edge = await createServiceEdge(service, { store: { ...service.store, write } });
      const send = () =>
        edge.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: keyed('k') });
      return { service, send };
    }

    test.each([1, 2, 3])('is served when it is repeated later, after %d errors', async (errors) => {
      const { service, send } = await openUncertain(errors);
      expect((await send()).json()).toMatchObject({ code: 'storage_unreachable', retryable: true });
      await vi.waitFor(async () => {
        service.clock.advance(1000);
        expect((await send()).statusCode).toBe(202);
      });
      expect(await runCount(service)).toBe(1);
    });
  });

  test('is forgotten after 24 hours', async () => {
    const { service, edge } = await open();
    const send = () => edge.request('POST', '/v1/threads', { body: {}, headers: keyed('k') });
    await send();
    service.clock.advance(24 * 60 * 60 * 1000);
    expect((await send()).headers['idempotent-replayed']).toBe('true');
    service.clock.advance(1);
    expect((await send()).headers['idempotent-replayed']).toBeUndefined();
  });

  test('of another principal is a different request', async () => {
    const service = await openService({ script: () => ({ text: 'done' }) });
    for (const token of ['one', 'two']) {
      const edge = await createServiceEdge(service, { token });
      const response = await edge.request('POST', '/v1/threads', {
        body: {},
        headers: { ...keyed('k'), authorization: `Bearer ${token}` },
      });
      expect([response.statusCode, response.headers['idempotent-replayed']]).toEqual([
        201,
        undefined,
      ]);
    }
    expect((await service.read.threads({ limit: 9 })).data).toHaveLength(2);
  });

  test('about a deleted run has no effect and reveals nothing about the run', async () => {
    const { service, edge } = await open();
    const { id } = (
      await edge.request('POST', '/v1/runs', { body: { prompt: 'secret' }, headers: keyed('k') })
    ).json<{ id: string }>();
    await service.settled(id);
    expect((await edge.request('DELETE', `/v1/runs/${id}`)).statusCode).toBe(204);
    const again = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'secret' },
      headers: keyed('k'),
    });
    expect([again.statusCode, again.json<{ code: string }>().code]).toEqual([
      410,
      'response_erased',
    ]);
    expect(await runCount(service)).toBe(0);
  });

  test.each(['', 'k'.repeat(513)])('with a key of invalid length is refused', async (key) => {
    const { service, edge } = await open();
    const response = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: keyed(key),
    });
    expect([response.statusCode, response.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_request',
        detail: expect.stringContaining('/header/idempotency-key') as string,
      }),
    ]);
    expect(await runCount(service)).toBe(0);
  });

  test('may request the stream again', async () => {
    const { service, edge } = await open();
    const send = () =>
      edge.request('POST', '/v1/runs', {
        body: { prompt: 'go' },
        headers: { ...keyed('k'), accept: 'text/event-stream' },
      });
    const [first, again] = [await send(), await send()];
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect(again.body).toContain('event: run.completed');
    expect(await runCount(service)).toBe(1);
  });
});

describe('every POST with an effect takes a key', () => {
  interface Prepared {
    readonly url: string;
    readonly body: object;
    readonly effects: () => Promise<number>;
  }
  const effectsOf = (service: Service, runId: string, type: string) => async () =>
    (await service.types(runId)).filter((each) => each === type).length;

  test.each<[string, (service: Service) => Promise<Prepared>]>([
    [
      'respond',
      async (service) => {
        const { run } = await service.engine.startCall({ wireName: 'w__write', arguments: {} });
        const item = await service.item(run.id);
        return {
          url: `/v1/inbox/${item.id}/respond`,
          body: { action: 'approve' },
          effects: effectsOf(service, run.id, 'inbox.answered'),
        };
      },
    ],
    [
      'cancel a run',
      async (service) => {
        const { run } = await service.engine.startCall({ wireName: 'w__write', arguments: {} });
        return {
          url: `/v1/runs/${run.id}/cancel`,
          body: { reason: 'enough' },
          effects: effectsOf(service, run.id, 'run.cancelling'),
        };
      },
    ],
    [
      'cancel a call',
      async (service) => {
        const { run, call } = await service.engine.startCall({
          wireName: 'w__write',
          arguments: {},
        });
        return {
          url: `/v1/runs/${run.id}/tool-calls/${call.id}/cancel`,
          body: {},
          effects: effectsOf(service, run.id, 'tool_call.cancelled'),
        };
      },
    ],
    [
      'fork',
      async (service) => {
        const { id } = await service.engine.createRun({ prompt: 'one' });
        await service.settled(id);
        return {
          url: `/v1/runs/${id}/fork`,
          body: { prompt: 'two' },
          effects: async () => (await runCount(service)) - 1,
        };
      },
    ],
    [
      'thread',
      async (service) => ({
        url: '/v1/threads',
        body: { title: 't' },
        effects: async () => (await service.read.threads({ limit: 9 })).data.length,
      }),
    ],
    [
      'agent',
      async (service) => ({
        url: '/v1/agents',
        body: { name: 'a' },
        effects: async () => (await service.read.agents({ limit: 9 })).data.length,
      }),
    ],
    [
      'tool call',
      async (service) => ({
        url: '/v1/tools/r__read/call',
        body: {},
        effects: async () => service.registry.sent.length,
      }),
    ],
  ])('%s', async (_name, prepare) => {
    const { service, edge } = await open();
    const { url, body, effects } = await prepare(service);
    const first = await edge.request('POST', url, { body, headers: keyed('k') });
    expect(first.statusCode).toBeLessThan(300);
    await service.until(async () => ((await effects()) === 1 ? true : undefined));
    const again = await edge.request('POST', url, { body, headers: keyed('k') });
    expect([again.statusCode, again.headers['idempotent-replayed'], again.json()]).toEqual([
      first.statusCode,
      'true',
      first.json(),
    ]);
    expect(await effects()).toBe(1);
  });
});

describe('a tool call with Prefer: wait', () => {
  test('is answered with 200 and the result, and a repetition gets the same response', async () => {
    const { service, edge } = await open();
    const send = () =>
      edge.request('POST', '/v1/tools/r__read/call', {
        headers: { ...keyed('k'), prefer: 'wait=10' },
      });
    const first = await send();
    expect([first.statusCode, first.headers['preference-applied'], first.json()]).toEqual([
      200,
      'wait=10',
      expect.objectContaining({
        kind: 'call',
        status: 'completed',
        answer: '42',
        call: expect.objectContaining({
          state: 'succeeded',
          result: { content: [{ type: 'text', text: '42' }] },
        }) as object,
      }),
    ]);
    const again = await send();
    expect([again.statusCode, again.json(), service.registry.sent.length]).toEqual([
      200,
      first.json(),
      1,
    ]);
  });

  test('is answered with 202 when the call takes longer', async () => {
    const { service, edge } = await open({ script: callsThenAnswer([]) });
    const waiting = edge.request('POST', '/v1/tools/r__slow/call', {
      headers: { prefer: 'respond-async, wait=2' },
    });
    await service.until(async () => (service.registry.sent.length === 1 ? true : undefined));
    service.clock.advance(2000);
    const response = await waiting;
    expect([response.statusCode, response.json()]).toEqual([
      202,
      expect.objectContaining({ status: 'running' }),
    ]);
    expect(response.headers.location).toBe(`/v1/runs/${response.json<{ id: string }>().id}`);
    await service.engine.cancelRun(response.json<{ id: string }>().id);
    await service.settled(response.json<{ id: string }>().id);
  });

  test.each(['run', 'toolCalls'] as const)(
    'is answered with 202 when the store cannot read the %s meanwhile, because the call was made',
    async (name) => {
      const { service } = await open();
      const busy = new StorageError('busy', 'nothing was changed, try again later');
      const read = { ...service.store.read, [name]: () => Promise.reject(busy) };
      const edge = await createServiceEdge(service, { read });
      const response = await edge.request('POST', '/v1/tools/r__read/call', {
        headers: { prefer: 'wait=10' },
      });
      expect(response.statusCode).toBe(202);
      const { id } = response.json<{ id: string }>();
      expect(await service.settled(id)).toMatchObject({ status: 'completed' });
      expect(await runCount(service)).toBe(1);
    },
  );

  test('is answered at once if the preference is missing or invalid', async () => {
    const { service, edge } = await open();
    for (const headers of [{}, { prefer: 'wait=soon' }]) {
      const response = await edge.request('POST', '/v1/tools/r__read/call', { headers });
      expect([response.statusCode, response.headers['preference-applied']]).toEqual([
        202,
        undefined,
      ]);
      await service.settled(response.json<{ id: string }>().id);
    }
  });
});
