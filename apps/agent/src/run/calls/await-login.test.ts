import { describe, expect, test } from 'vitest';
import type { LoginRequest } from '@signalbox/mcp-core/auth';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { expectFoldMatches } from '../testing/expect-fold.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const LOGIN: LoginRequest = {
  server: 'https://mcp.example/mcp',
  issuer: 'https://as.example',
  resource: 'https://mcp.example/mcp',
  scopes: ['read'],
  challengedScopes: ['read'],
  reason: 'tokens-refused',
  methods: ['browser'],
};
const REFUSED: ToolCallOutcome = { type: 'not-sent', message: 'a needs a login', login: LOGIN };
const DAY_MS = 86_400_000;

/** A service whose tool needs a login for its first calls. */
async function open(
  refusals: number,
  options: Partial<ServiceOptions> = {},
): Promise<Service & { readonly id: string }> {
  let left = refusals;
  const call = (): Promise<ToolCallOutcome> => Promise.resolve((left -= 1) < 0 ? ok('') : REFUSED);
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__read' }]]),
    tools: { a__read: { annotations: READ_ONLY, trusted: true, call } },
    ...options,
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  return { ...service, id };
}

describe('a call that its server refuses until a login', () => {
  test('waits with an inbox item, costs the run no time, and is sent after the login', async () => {
    const service = await open(1);
    const { id, engine, clock } = service;
    const item = await service.item(id);
    expect(item).toMatchObject({
      kind: 'server_login',
      owner: undefined,
      expiresAt: clock.now() + DAY_MS,
      request: {
        server: 'a',
        name: 'a__read',
        message: 'a needs a login',
        issuer: 'https://as.example',
        scopes: ['read'],
        required_scopes: ['read'],
        reason: 'tokens_refused',
        methods: ['browser'],
      },
    });
    await service.status(id, 'input_required');
    expect(await service.call(id)).toMatchObject({ state: 'planned', attempt: 1 });
    clock.advance(60_000);
    expect(service.registry.sent).toHaveLength(1);
    await engine.continueAfterLogin('another');
    expect((await service.read.inboxItem(item.id))?.state).toBe('open');
    await engine.continueAfterLogin('a');
    expect(await service.settled(id)).toMatchObject({ status: 'completed', waitedMs: 60_000 });
    expect(await service.call(id)).toMatchObject({ state: 'succeeded', attempt: 2 });
    const [first, second] = service.registry.sent;
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    expect(await service.read.inboxItem(item.id)).toMatchObject({
      state: 'delivered',
      response: { action: 'retry' },
    });
    const types = await service.types(id);
    expect(types.filter((type) => type === 'tool_call.retrying')).toHaveLength(2);
    await expectFoldMatches(service.read);
    await engine.continueAfterLogin('a');
  });

  test('fails when a person declines the login, and the model reads why', async () => {
    const service = await open(1);
    const item = await service.item(service.id);
    await service.engine.respond(item.id, { action: 'decline', note: 'not today' });
    expect(await service.settled(service.id)).toMatchObject({ status: 'completed' });
    const { state, result } = await service.call(service.id);
    expect([state, JSON.stringify(result)]).toEqual([
      'failed',
      expect.stringContaining('a person declined it. Note: not today.'),
    ]);
  });

  test('fails when nobody logs in in time', async () => {
    const service = await open(1);
    await service.item(service.id);
    await service.status(service.id, 'input_required');
    service.clock.advance(DAY_MS);
    expect(await service.settled(service.id)).toMatchObject({ status: 'completed' });
    expect(await service.call(service.id)).toMatchObject({
      state: 'failed',
      error: 'Nobody logged in to the server in time.',
    });
    expect(service.registry.sent).toHaveLength(1);
  });

  test('asks for three logins at most', async () => {
    const service = await open(10);
    const seen = new Set<string>();
    for (;;) {
      const next = await service.until(async () => {
        const run = await service.read.run(service.id);
        if (run?.finishedAt !== undefined) return 'ended';
        const items = await service.read.inboxItems({ runId: service.id, state: 'open' });
        return items.find((item) => !seen.has(item.id))?.id;
      });
      if (next === 'ended') break;
      seen.add(next);
      await service.engine.continueAfterLogin('a');
    }
    expect(seen.size).toBe(3);
    expect((await service.call(service.id)).error).toContain('after 3 logins');
  });

  test('ends with its run when the run is cancelled', async () => {
    const service = await open(1);
    const item = await service.item(service.id);
    await service.engine.cancelRun(service.id);
    expect(await service.settled(service.id)).toMatchObject({ status: 'cancelled' });
    expect((await service.read.inboxItem(item.id))?.state).toBe('void');
    await service.engine.continueAfterLogin('a');
    expect(service.registry.sent).toHaveLength(1);
  });

  test('still waits after a restart, and neither sends nor asks again before the login', async () => {
    const first = await open(1);
    const item = await first.item(first.id);
    await first.status(first.id, 'input_required');
    await first.kill();
    const second = await openService({
      dataDir: first.dataDir,
      clock: first.clock,
      script: callsThenAnswer([[{ name: 'a__read' }]]),
      tools: { a__read: { annotations: READ_ONLY, trusted: true, call: async () => ok('') } },
    });
    // Another job of the call, as a queue may deliver it.
    await second.enqueue({ type: 'call-tool', callId: item.callId ?? '' });
    await second.enqueue({ type: 'advance-run', runId: first.id });
    // A later run, which ends after the jobs.
    await second.settled((await second.engine.createRun({ prompt: 'go' })).id);
    expect(second.registry.sent.filter(({ runId }) => runId === first.id)).toEqual([]);
    await second.status(first.id, 'input_required');
    await second.engine.continueAfterLogin('a');
    expect(await second.settled(first.id)).toMatchObject({ status: 'completed' });
    expect(await second.call(first.id)).toMatchObject({ state: 'succeeded', attempt: 2 });
  });
});

describe('a run that names a server which needs a login', () => {
  const named = async (isReady: () => boolean): Promise<Service & { readonly id: string }> => {
    const service = await openService({
      script: callsThenAnswer([]),
      tools: { a__read: { annotations: READ_ONLY, call: async () => ok('') } },
    });
    Object.defineProperty(service.registry, 'status', {
      get: () => (isReady() ? {} : { a: { state: 'needs_login', login: LOGIN, error: 'log in' } }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go', servers: ['a'] });
    return { ...service, id };
  };

  test('waits before its first model call, and continues after the login', async () => {
    let isReady = false;
    const service = await named(() => isReady);
    const item = await service.item(service.id);
    expect(item).toMatchObject({ callId: undefined, request: { server: 'a', message: 'log in' } });
    await service.status(service.id, 'input_required');
    expect(service.llm.requests).toEqual([]);
    isReady = true;
    await service.engine.continueAfterLogin('a');
    expect(await service.settled(service.id)).toMatchObject({ status: 'completed' });
    await expectFoldMatches(service.read);
  });

  test.each([['decline'], ['retry']])('after %s it is not asked again', async (action) => {
    const service = await named(() => false);
    const item = await service.item(service.id);
    await service.engine.respond(item.id, { action });
    expect(await service.settled(service.id)).toMatchObject({ status: 'completed' });
    expect(await service.read.inboxItems({ runId: service.id })).toHaveLength(1);
  });

  test('continues without the server when nobody logs in in time', async () => {
    const service = await named(() => false);
    await service.item(service.id);
    await service.status(service.id, 'input_required');
    service.clock.advance(DAY_MS);
    expect(await service.settled(service.id)).toMatchObject({ status: 'completed' });
  });

  test('control: a run that names no server does not wait', async () => {
    const service = await named(() => false);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(await service.read.inboxItems({ runId: id })).toEqual([]);
  });
});
