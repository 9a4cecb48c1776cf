import { describe, expect, test } from 'vitest';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import type { RequestedToolRules, ToolRules } from '../../ports/tool-rules.ts';
import type { ServerPolicy } from '../core/server-policy.ts';
import { callsThenAnswer, type Script } from '../testing/fake-llm.ts';
import { ok, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const done: FakeTool = { call: () => Promise.resolve(ok('done')) };
const TOOLS = { files__read: done, files__delete: done, mail__send: done };
const AUTO: ServerPolicy = { approval: 'auto', sampling: 'auto' };
const ALL_AUTO = { files: AUTO, mail: AUTO };

async function open(script: Script, options: Partial<ServiceOptions> = {}): Promise<Service> {
  return openService({ script, tools: TOOLS, policies: ALL_AUTO, ...options });
}

const call = (name: string, input = {}): Script => callsThenAnswer([[{ name, input }]]);

const offered = (service: Service): readonly string[] =>
  service.llm.requests[0]!.tools.map(({ name }) => name);
const sent = (service: Service): readonly string[] =>
  service.registry.sent.map(({ wireName }) => wireName);
const lastMessage = (service: Service): string =>
  JSON.stringify(service.llm.requests.at(-1)?.messages.at(-1)?.content);

/** Gives every run other rules than those that are stored. */
function withToolRules(toolRules: ToolRules): (store: Store) => Store {
  const changed = (sql: StoreTransaction): StoreTransaction => ({
    ...sql,
    async runCore(id) {
      const run = await sql.runCore(id);
      return run && { ...run, toolRules };
    },
  });
  return (store) => ({
    ...store,
    write: (locks, work, options) => store.write(locks, (sql) => work(changed(sql)), options),
  });
}

const OUTSIDE = 'The tool files__delete is not one of the tools of this run.';

describe('tools of a run with rules', () => {
  test('are the allowed ones without the denied ones, and a call of another tool fails', async () => {
    const service = await open(call('files__delete'));
    const toolRules = { allow: ['files__*'], deny: ['*__delete'] };
    const { id } = await service.engine.createRun({ prompt: 'go', toolRules });
    expect(await service.settled(id)).toMatchObject({ status: 'completed', toolRules });
    expect(offered(service)).toEqual(['files__read', 'artifact_read']);
    expect(sent(service)).toEqual([]);
    expect(lastMessage(service)).toContain(OUTSIDE);
    expect((await service.event(id, 'run.queued')).data).toMatchObject({
      tools: { allow: ['files__*'], deny: ['*__delete'] },
    });
  });

  test('control: without rules the same call is made', async () => {
    const service = await open(call('files__delete'));
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(id);
    expect(sent(service)).toEqual(['files__delete']);
  });

  test('are the only ones that find_tools finds and call_tool calls', async () => {
    const script = callsThenAnswer([
      [{ name: 'find_tools', input: { query: 'files__delete' } }],
      [{ name: 'call_tool', input: { name: 'files__delete' } }],
    ]);
    const service = await open(script, { isStarted: false });
    service.registry.status = { files: { toolsChange: true } };
    await service.engine.start();
    const toolRules = { deny: ['files__delete'] };
    const { id } = await service.engine.createRun({ prompt: 'go', toolRules });
    await service.settled(id);
    expect(offered(service)).toContain('find_tools');
    const [found] = await service.read.toolCalls(id);
    const listing = JSON.stringify(found?.result?.content);
    expect(listing).toContain('files__read');
    expect(listing).not.toContain('the tool files__delete');
    expect(sent(service)).toEqual([]);
    expect(lastMessage(service)).toContain(OUTSIDE);
  });

  test('leave out the instructions of a server that has none of them', async () => {
    const service = await open(() => ({ text: 'done' }), { isStarted: false });
    service.registry.status = {
      files: { instructions: 'Paths are relative.' },
      mail: { instructions: 'Letters are signed.' },
    };
    await service.engine.start();
    const toolRules = { allow: ['files__*'] };
    const { id } = await service.engine.createRun({ prompt: 'go', toolRules });
    await service.settled(id);
    expect(service.llm.requests[0]?.system).toContain('Paths are relative.');
    expect(service.llm.requests[0]?.system).not.toContain('Letters are signed.');
  });

  test('that a planned call uses are checked again when it is sent', async () => {
    const first = await open(call('files__delete'), { crashAt: 'before-dispatch-call-commit' });
    const { id } = await first.engine.createRun({ prompt: 'go' });
    await first.crashed;
    await first.kill();
    const service = await open(call('files__delete'), {
      dataDir: first.dataDir,
      clock: first.clock,
      changeStore: withToolRules({ deny: ['files__delete'] }),
    });
    await service.settled(id);
    expect(sent(service)).toEqual([]);
    expect(await service.call(id)).toMatchObject({ state: 'failed' });
    expect((await service.call(id)).error).toContain(OUTSIDE);
  });
});

describe('approval rules of a run', () => {
  const rules = (policy: 'auto' | 'ask' | 'deny'): RequestedToolRules => ({
    approvals: [{ tools: 'files__*', policy }],
  });

  test('ask for an approval that the configuration does not require', async () => {
    const service = await open(call('files__delete'));
    const { id } = await service.engine.createRun({ prompt: 'go', toolRules: rules('ask') });
    const item = await service.item(id);
    expect(item.request).toMatchObject({ required_by: 'run' });
    expect(sent(service)).toEqual([]);
    await service.engine.respond(item.id, { action: 'approve' });
    await service.settled(id);
    expect(sent(service)).toEqual(['files__delete']);
  });

  test('are not named as the reason when the configuration requires the approval, too', async () => {
    const service = await open(call('files__delete'), {
      policies: { ...ALL_AUTO, files: { ...AUTO, approval: 'ask' } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go', toolRules: rules('ask') });
    const item = await service.item(id);
    expect(item.request).toMatchObject({ required_by: 'configuration' });
  });

  test('deny a call with a text for the model', async () => {
    const service = await open(call('files__delete'));
    const { id } = await service.engine.createRun({ prompt: 'go', toolRules: rules('deny') });
    await service.settled(id);
    expect(sent(service)).toEqual([]);
    expect(lastMessage(service)).toContain(
      'The approval rules of this run do not allow calls of files__delete.',
    );
  });

  test.each(['ask', 'deny'] as const)(
    'with auto do not undo the policy %s of the configuration',
    async (approval) => {
      const service = await open(call('files__delete'), {
        policies: { ...ALL_AUTO, files: { ...AUTO, approval } },
      });
      const { id } = await service.engine.createRun({ prompt: 'go', toolRules: rules('auto') });
      if (approval === 'ask')
        await service.engine.respond((await service.item(id)).id, { action: 'deny' });
      await service.settled(id);
      expect(sent(service)).toEqual([]);
    },
  );
});

describe('rules of an agent', () => {
  const definition = {
    name: 'a',
    instructions: undefined,
    model: undefined,
    servers: undefined,
    limits: {},
    modelSettings: undefined,
    toolRules: { allow: ['files__*'], deny: ['files__delete'] },
  };

  test('apply to its runs and to their forks, unless those set them', async () => {
    const service = await open(() => ({ text: 'done' }));
    const { id: agentId } = await service.engine.createAgent(definition);
    const { id } = await service.engine.createRun({ prompt: 'go', agentId });
    expect(await service.settled(id)).toMatchObject({
      toolRules: definition.toolRules,
      agentVersion: 1,
    });
    const fork = await service.engine.forkRun(id, { prompt: 'on', toolRules: { deny: null } });
    expect(fork).toMatchObject({ toolRules: { allow: ['files__*'] }, agentVersion: 1 });
    const other = await service.engine.createRun({
      prompt: 'go',
      agentId,
      toolRules: { allow: null, deny: ['mail__*'] },
    });
    expect(other.toolRules).toEqual({ deny: ['mail__*'] });
  });
});
