import { createHash } from 'node:crypto';
import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import type { ServerPolicy } from '../core/server-policy.ts';
import { callsThenAnswer, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const ASK: ServerPolicy = { approval: 'ask', sampling: 'ask', launchDigest: 'launch-1' };
const sentArguments = (service: Service): readonly JsonObject[] =>
  service.registry.sent.map((request) => request.arguments);
const lastResults = (service: Service): unknown =>
  service.llm.requests.at(-1)?.messages.at(-1)?.content;

/** A tool that says what it was called with. */
const echo = (more: Partial<FakeTool> = {}): FakeTool => ({
  call: ({ arguments: args }) => Promise.resolve(ok(JSON.stringify(args))),
  ...more,
});

const oneCall = callsThenAnswer([[{ name: 'a__write', input: { path: 'x' } }]]);

async function started(
  options: Partial<ServiceOptions> = {},
): Promise<{ readonly service: Service; readonly id: string }> {
  const service = await openService({
    script: oneCall,
    tools: { a__write: echo() },
    policies: { a: ASK },
    ...options,
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  return { service, id };
}

async function killed(service: Service): Promise<Pick<ServiceOptions, 'dataDir' | 'clock'>> {
  await service.kill();
  return { dataDir: service.dataDir, clock: service.clock };
}

const audit = async (service: Service, id: string): Promise<readonly string[]> =>
  (await service.read.audit({ runId: id, after: 0, limit: 100 })).map(
    ({ who, decision, outcome }) => `${who} ${decision ?? outcome}`,
  );

describe('rules by tool name', () => {
  test('allow calls, require approval, or refuse them with a text for the model', async () => {
    const { service, id } = await started({
      script: callsThenAnswer([[{ name: 'a__read' }, { name: 'a__write' }, { name: 'a__delete' }]]),
      tools: { a__read: echo(), a__write: echo(), a__delete: echo({ annotations: READ_ONLY }) },
      policies: {
        a: {
          ...ASK,
          approval: 'default',
          approvals: [
            { tools: 'read', policy: 'auto' },
            { tools: 'del*', policy: 'deny' },
          ],
        },
      },
    });
    await service.engine.respond((await service.item(id)).id, { action: 'approve' });
    await service.settled(id);
    expect(service.registry.sent.map((request) => request.wireName)).toEqual([
      'a__read',
      'a__write',
    ]);
    expect(JSON.stringify(lastResults(service))).toContain(
      'The configuration of this service does not allow calls of the tool delete of a.',
    );
  });
});

describe('an approval with edited arguments', () => {
  test("sends the edited arguments, informs the model, and keeps the model's arguments", async () => {
    const { service, id } = await started();
    const item = await service.item(id);
    expect(
      await service.engine.respond(item.id, { action: 'approve', arguments: { path: 'y' } }),
    ).toMatchObject({ state: 'delivered', response: { arguments: { path: 'y' } } });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(sentArguments(service)).toEqual([{ path: 'y' }]);
    expect(await service.call(id)).toMatchObject({
      arguments: { path: 'y' },
      modelArguments: { path: 'x' },
    });
    expect((await service.event(id, 'tool_call.approved')).data).toMatchObject({
      is_edited: true,
      arguments: { path: 'y' },
      remember: 'call',
    });
    expect(JSON.stringify(lastResults(service))).toContain(
      'A person changed the arguments of this call before it was made. It was made with: {\\"path\\":\\"y\\"}',
    );
    expect(await audit(service, id)).toEqual([
      'policy asked',
      'person approved_with_changes',
      'service succeeded',
    ]);
  });

  test('that differ only in member order is not a change', async () => {
    const { service, id } = await started({
      script: callsThenAnswer([[{ name: 'a__write', input: { a: 1, b: 2 } }]]),
    });
    await service.engine.respond((await service.item(id)).id, {
      action: 'approve',
      arguments: { b: 2, a: 1 },
    });
    await service.settled(id);
    expect((await service.event(id, 'tool_call.approved')).data).toMatchObject({
      is_edited: false,
    });
    expect(JSON.stringify(lastResults(service))).not.toContain('A person changed');
  });

  test.each<[JsonObject, string]>([
    [{ action: 'approve', arguments: { path: 7 } }, 'arguments: path must be a string'],
    [{ action: 'approve', arguments: [] }, 'arguments: must be an object'],
    [{ action: 'deny', arguments: {} }, 'arguments: is only part of an approval'],
    [{ action: 'approve', remember: 'thread' }, 'remember: must be one of call, run'],
    [{ action: 'deny', remember: 'run' }, 'remember: is only part of an approval'],
  ])('is refused with the invalid field, and nothing is sent: %j', async (response, message) => {
    const { service, id } = await started({
      tools: {
        a__write: echo({
          check: ({ path }) => (typeof path === 'string' ? undefined : 'path must be a string'),
        }),
      },
    });
    const item = await service.item(id);
    const [field] = message.split(':');
    await expect(service.engine.respond(item.id, response)).rejects.toMatchObject({
      code: 'invalid_response',
      message,
      problems: [{ path: `/${field}` }],
    });
    expect((await service.read.inboxItem(item.id))?.state).toBe('open');
    expect(service.registry.sent).toEqual([]);
  });
});

describe('an approval is bound to the shown call', () => {
  test.each<[string, Partial<ServiceOptions>, string]>([
    [
      'the definition of the tool changed',
      { tools: { a__write: echo({ description: 'sends everything to everybody' }) } },
      'since the approval the definition of the tool changed',
    ],
    [
      'the launch definition of the server changed',
      { policies: { a: { ...ASK, launchDigest: 'launch-2' } } },
      'since the approval the launch definition of the server changed',
    ],
  ])(
    'it is requested again, with the reason, when %s after a restart',
    async (_case, change, reason) => {
      const first = await started();
      const item = await first.service.item(first.id);
      const service = await openService({
        script: oneCall,
        tools: { a__write: echo() },
        policies: { a: ASK },
        ...change,
        ...(await killed(first.service)),
      });
      await service.engine.respond(item.id, { action: 'approve', arguments: { path: 'y' } });
      const again = await service.item(first.id);
      expect(again).toMatchObject({
        kind: 'tool_approval',
        request: { reason, arguments: { path: 'y' }, model_arguments: { path: 'x' } },
      });
      expect(service.registry.sent).toEqual([]);
      await service.status(first.id, 'input_required');
      await service.engine.respond(again.id, { action: 'approve' });
      expect(await service.settled(first.id)).toMatchObject({ status: 'completed' });
      expect(sentArguments(service)).toEqual([{ path: 'y' }]);
      expect(await audit(service, first.id)).toEqual([
        'policy asked',
        'person approved_with_changes',
        'service asked',
        'person approved',
        'service succeeded',
      ]);
    },
  );

  test('control: without a change the approval survives a restart', async () => {
    const first = await started();
    const item = await first.service.item(first.id);
    const service = await openService({
      script: oneCall,
      tools: { a__write: echo() },
      policies: { a: ASK },
      ...(await killed(first.service)),
    });
    await service.engine.respond(item.id, { action: 'approve' });
    expect(await service.settled(first.id)).toMatchObject({ status: 'completed' });
    expect(sentArguments(service)).toEqual([{ path: 'x' }]);
  });

  test('it is bound to one call: the same call planned again needs a new approval', async () => {
    const call = { name: 'a__write', input: { path: 'x' } };
    const { service, id } = await started({ script: callsThenAnswer([[call, call]]) });
    const [first] = await service.until(async () => {
      const items = await service.read.inboxItems({ runId: id, state: 'open' });
      return items.length === 2 ? items : undefined;
    });
    await service.engine.respond(first!.id, { action: 'approve' });
    await service.event(id, 'tool_call.completed');
    expect(sentArguments(service)).toHaveLength(1);
    await service.engine.respond((await service.item(id)).id, { action: 'deny' });
    await service.settled(id);
    expect(sentArguments(service)).toHaveLength(1);
  });
});

test('a sent call that is repeated with edited arguments has a new idempotency key', async () => {
  const outcomes: ToolCallOutcome[] = [{ type: 'lost', message: 'the server died' }, ok('')];
  const tools: { [wireName: string]: FakeTool } = {
    a__write: echo({ call: () => Promise.resolve(outcomes.shift()!) }),
  };
  const { service, id } = await started({ tools });
  await service.engine.respond((await service.item(id)).id, { action: 'approve' });
  const unknown = await service.until(async () =>
    (await service.read.inboxItems({ runId: id, state: 'open' })).find(
      ({ kind }) => kind === 'outcome_unknown',
    ),
  );
  tools['a__write'] = echo({
    description: 'another',
    call: () => Promise.resolve(outcomes.shift()!),
  });
  await service.engine.respond(unknown.id, { action: 'retry' });
  const again = await service.until(async () =>
    (await service.read.inboxItems({ runId: id, state: 'open' })).find(
      ({ kind }) => kind === 'tool_approval',
    ),
  );
  await service.engine.respond(again.id, { action: 'approve', arguments: { path: 'y' } });
  await service.settled(id);
  expect(sentArguments(service)).toEqual([{ path: 'x' }, { path: 'y' }]);
  const [first, second] = service.registry.sent;
  expect(second?.idempotencyKey).not.toBe(first?.idempotencyKey);
});

describe('a planned call whose process died before it was sent', () => {
  const AUTO: ServerPolicy = { ...ASK, approval: 'auto' };

  async function planned(): Promise<{
    readonly id: string;
    readonly life: Pick<ServiceOptions, 'dataDir' | 'clock'>;
  }> {
    const { service, id } = await started({
      policies: { a: AUTO },
      crashAt: 'before-dispatch-call-commit',
    });
    await service.crashed;
    return { id, life: await killed(service) };
  }

  test('needs approval when the configuration now requires it', async () => {
    const { id, life } = await planned();
    const service = await openService({
      script: oneCall,
      tools: { a__write: echo() },
      policies: { a: ASK },
      ...life,
    });
    expect(await service.item(id)).toMatchObject({
      request: { reason: 'the policy changed, and the call now needs an approval' },
    });
    await service.engine.respond((await service.item(id)).id, { action: 'approve' });
    await service.settled(id);
    expect(sentArguments(service)).toHaveLength(1);
  });

  test('fails when the configuration now denies it', async () => {
    const { id, life } = await planned();
    const service = await openService({
      script: oneCall,
      tools: { a__write: echo() },
      policies: { a: { ...ASK, approval: 'deny' } },
      ...life,
    });
    await service.settled(id);
    expect(sentArguments(service)).toEqual([]);
    expect(await audit(service, id)).toEqual(['policy allowed', 'service failed']);
  });

  test('is sent when nothing changed', async () => {
    const { id, life } = await planned();
    const service = await openService({
      script: oneCall,
      tools: { a__write: echo() },
      policies: { a: AUTO },
      ...life,
    });
    await service.settled(id);
    expect(sentArguments(service)).toHaveLength(1);
  });
});

test('an approved call of a removed tool is not sent to a new tool of the same name', async () => {
  const first = await started();
  const item = await first.service.item(first.id);
  const tools: { [wireName: string]: FakeTool } = {};
  const service = await openService({
    script: oneCall,
    tools,
    policies: { a: ASK },
    ...(await killed(first.service)),
  });
  await service.engine.respond(item.id, { action: 'approve' });
  const retry = await service.event(first.id, 'tool_call.retrying');
  expect(retry.data).toMatchObject({
    reason: 'not_sent',
    message: 'the server a does not offer the tool write at present',
  });
  tools['a__write'] = echo({ description: 'somebody else' });
  service.clock.advance(500);
  expect(await service.item(first.id)).toMatchObject({
    request: { reason: 'since the approval the definition of the tool changed' },
  });
  expect(service.registry.sent).toEqual([]);
});

describe('an approval that is remembered for the run', () => {
  const twoTurns = callsThenAnswer([
    [{ name: 'a__write', input: { path: 'x' } }],
    [{ name: 'a__write', input: { path: 'y' } }],
  ]);

  test('allows later calls of the tool with any arguments, but no call of another run', async () => {
    const { service, id } = await started({ script: twoTurns });
    const answered = await service.engine.respond((await service.item(id)).id, {
      action: 'approve',
      remember: 'run',
    });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(sentArguments(service)).toEqual([{ path: 'x' }, { path: 'y' }]);
    const [remembered] = await service.read.rememberedApprovals();
    expect(remembered).toMatchObject({
      runId: id,
      threadId: undefined,
      server: 'a',
      tool: 'write',
    });
    expect(answered.response).toMatchObject({
      remember: 'run',
      remembered_approval_id: remembered?.id,
    });
    expect(await audit(service, id)).toEqual([
      'policy asked',
      'person approved',
      'service succeeded',
      'remembered allowed',
      'service succeeded',
    ]);
    const other = await service.engine.createRun({ prompt: 'again' });
    expect(await service.item(other.id)).toMatchObject({ kind: 'tool_approval' });
  });

  /** Remembers the approval of the first call and does something before that call ends and the next one is planned. */
  async function between(
    change: (service: Service, tools: { [wireName: string]: FakeTool }) => void | Promise<void>,
  ): Promise<{ readonly service: Service; readonly id: string }> {
    const answer = Promise.withResolvers<ToolCallOutcome>();
    const tools: { [wireName: string]: FakeTool } = {
      a__write: echo({ call: () => answer.promise }),
    };
    const { service, id } = await started({ script: twoTurns, tools });
    await service.engine.respond((await service.item(id)).id, {
      action: 'approve',
      remember: 'run',
    });
    await service.event(id, 'tool_call.dispatched');
    await change(service, tools);
    answer.resolve(ok(''));
    return { service, id };
  }

  test('ends when it is deleted', async () => {
    const { service, id } = await between(async ({ engine, read }) => {
      const [approval] = await read.rememberedApprovals();
      await engine.forgetApproval(approval!.id);
    });
    expect((await service.item(id)).request).toMatchObject({ arguments: { path: 'y' } });
    await expect(service.engine.forgetApproval('nothing')).rejects.toMatchObject({
      code: 'approval_not_found',
    });
    expect(await audit(service, id)).toEqual([
      'policy asked',
      'person approved',
      'person forgotten',
      'service succeeded',
      'policy asked',
    ]);
  });

  test('is not valid for a tool whose definition has changed', async () => {
    const { service, id } = await between((_service, tools) => {
      tools['a__write'] = echo({ description: 'another' });
    });
    expect((await service.item(id)).request).toMatchObject({
      arguments: { path: 'y' },
      description: 'another',
    });
    expect(service.registry.sent).toHaveLength(1);
  });
});

test('an approval that is remembered for the thread is valid for its other runs, and for no other thread', async () => {
  // One call for each thing the user says.
  const script: Script = ({ messages }) =>
    messages.at(-1)?.content[0]?.type === 'tool_result'
      ? { text: 'done' }
      : { calls: [{ name: 'a__write' }] };
  const service = await openService({ script, tools: { a__write: echo() }, policies: { a: ASK } });
  await service.store.write({}, async (sql) => {
    for (const id of ['t1', 't2'])
      await sql.insertThread({
        id,
        title: undefined,
        metadata: {},
        createdAt: service.clock.now(),
        updatedAt: service.clock.now(),
      });
  });
  const first = await service.engine.createRun({ prompt: 'go', threadId: 't1' });
  const item = await service.item(first.id);
  expect(item.request).toMatchObject({ remember: ['call', 'run', 'thread'] });
  await service.engine.respond(item.id, { action: 'approve', remember: 'thread' });
  await service.settled(first.id);
  expect(await service.read.rememberedApprovals()).toMatchObject([
    { runId: first.id, threadId: 't1' },
  ]);
  const second = await service.engine.createRun({ prompt: 'go', threadId: 't1' });
  await service.settled(second.id);
  expect(sentArguments(service)).toHaveLength(2);
  const stranger = await service.engine.createRun({ prompt: 'go', threadId: 't2' });
  expect(await service.item(stranger.id)).toMatchObject({ kind: 'tool_approval' });
});

test('the audit has the deciding party, the digest of the arguments and the outcome, but no arguments', async () => {
  const { service, id } = await started({
    script: callsThenAnswer([
      [{ name: 'a__write', input: { path: 'secret' } }, { name: 'a__nothing' }],
    ]),
  });
  const item = await service.item(id);
  await service.engine.respond(item.id, { action: 'deny' });
  await service.settled(id);
  const entries = await service.read.audit({ after: 0, limit: 100 });
  const call = await service.call(id);
  const argumentsSha256 = createHash('sha256').update('{"path":"secret"}').digest('hex');
  expect(entries).toMatchObject([
    {
      seq: 1,
      who: 'policy',
      decision: 'asked',
      kind: 'tool_call',
      server: 'a',
      tool: 'write',
      runId: id,
      callId: call.id,
      argumentsSha256,
    },
    { seq: 2, who: 'service', outcome: 'failed', tool: 'a__nothing' },
    { seq: 3, who: 'person', decision: 'denied', itemId: item.id, argumentsSha256 },
    { seq: 4, who: 'service', outcome: 'failed', callId: call.id },
  ]);
  expect(JSON.stringify(entries)).not.toContain('secret');
  expect((await service.read.audit({ after: 2, limit: 1 })).map(({ seq }) => seq)).toEqual([3]);
});
