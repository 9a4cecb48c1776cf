import { describe, expect, test } from 'vitest';
import type { ToolUse } from '../calls/plan-calls.ts';
import { callsThenAnswer, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';
import { MAX_TOOL_TOKENS, tokensOf } from './choose-tools.ts';

const read = (text: string): FakeTool => ({
  annotations: READ_ONLY,
  call: () => Promise.resolve(ok(text)),
});

/** `count` tools of one server with descriptions as long as real ones are. */
function many(server: string, count: number): { [wireName: string]: FakeTool } {
  const entries = Array.from(
    { length: count },
    (_, at) =>
      [
        `${server}__thing_${at}`,
        {
          ...read(`thing ${at}`),
          description: `Handles things of number ${at}. ${'It explains itself at length. '.repeat(10)}`,
        },
      ] as const,
  );
  return Object.fromEntries(entries);
}

const offered = (service: Service, request = 0): readonly string[] =>
  service.llm.requests[request]!.tools.map(({ name }) => name);

/** Returns the tool results and the texts beside them that the model read before a request. */
const requestText = (service: Service, request: number): string =>
  service.llm.requests[request]!.messages.at(-1)!
    .content.map((block) =>
      block.type === 'tool_result'
        ? JSON.stringify(block.content)
        : 'text' in block
          ? block.text
          : '',
    )
    .join('\n');

async function withThread(options: Parameters<typeof openService>[0]): Promise<Service> {
  const service = await openService(options);
  await service.store.write({}, (sql) =>
    sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
  );
  return service;
}

describe('the tools that a model is offered', () => {
  test('are all tools, without find_tools and call_tool, when they are few and cannot change', async () => {
    const service = await openService({
      script: () => ({ text: 'done' }),
      tools: { a__x: read('x') },
    });
    await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    expect(offered(service)).toEqual(['a__x', 'artifact_read']);
  });

  test('include find_tools and call_tool when a server declares listChanged or is not connected yet', async () => {
    for (const status of [{ toolsChange: true }, { state: 'failed' as const }]) {
      const service = await openService({
        script: () => ({ text: 'done' }),
        tools: { a__x: read('x') },
        isStarted: false,
      });
      service.registry.status = { a: status };
      await service.engine.start();
      await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
      expect(offered(service)).toEqual(['a__x', 'artifact_read', 'find_tools', 'call_tool']);
    }
  });

  test('stay within the token limit with 500 tools; small servers are offered whole, other tools are found and called', async () => {
    const script = callsThenAnswer([
      [{ name: 'find_tools', input: { query: 'thing number 417', limit: 3 } }],
      [{ name: 'call_tool', input: { name: 'big__thing_417', arguments: { a: 1 } } }],
    ]);
    const service = await openService({
      script,
      tools: { ...many('big', 500), small__x: read('x') },
    });
    const run = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(run.id)).toMatchObject({ status: 'completed', toolCalls: 2 });
    expect(offered(service)).toEqual(['small__x', 'artifact_read', 'find_tools', 'call_tool']);
    expect(
      service.llm.requests[0]!.tools.reduce((sum, tool) => sum + tokensOf(tool), 0),
    ).toBeLessThan(MAX_TOOL_TOKENS);
    expect(service.llm.requests[0]!.tools[2]!.description).toContain('big (500)');
    expect(requestText(service, 1)).toMatch(/3 of 500 tools that fit.*big__thing_417/s);
    expect(service.registry.sent).toMatchObject([
      { wireName: 'big__thing_417', arguments: { a: 1 } },
    ]);
    expect(requestText(service, 2)).toContain('thing 417');
  });

  test('are searched when they are more than the provider supports, however short they are', async () => {
    const service = await openService({
      script: () => ({ text: 'done' }),
      tools: Object.fromEntries(
        Array.from({ length: 126 }, (_, at) => [`a__t${at}`, { ...read('x'), description: '' }]),
      ),
    });
    await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    expect(offered(service)).toEqual(['artifact_read', 'find_tools', 'call_tool']);
  });
});

describe('tools that are added and removed during a run', () => {
  test('an added tool is announced, found and called in the next turns, and the array of tools is unchanged', async () => {
    const tools: { [wireName: string]: FakeTool } = { a__first: read('1') };
    tools['a__grow'] = {
      annotations: READ_ONLY,
      call: () => {
        tools['a__later'] = read('late');
        delete tools['a__first'];
        return Promise.resolve(ok('grown'));
      },
    };
    const script = callsThenAnswer([
      [{ name: 'a__grow' }],
      [{ name: 'find_tools', input: { query: 'later' } }, { name: 'a__first' }],
      [{ name: 'call_tool', input: { name: 'a__later' } }],
    ]);
    const service = await openService({ script, tools, isStarted: false });
    service.registry.status = { a: { toolsChange: true } };
    await service.engine.start();
    const run = await service.engine.createRun({ prompt: 'go' });
    expect((await service.settled(run.id)).status).toBe('completed');
    expect(requestText(service, 1)).toContain(
      '[Note of the service, not of the user: the tools have changed. added: a__later (reach them with find_tools and call_tool); no longer there: a__first.]',
    );
    expect(requestText(service, 2)).toMatch(/a__later.*There is no tool named a__first/s);
    expect(requestText(service, 2)).not.toContain('Note of the service');
    expect(requestText(service, 3)).toContain('late');
    expect(
      new Set(
        service.llm.requests.map(({ tools: array, system }) => JSON.stringify([array, system])),
      ).size,
    ).toBe(1);
    expect(offered(service)).toEqual([
      'a__first',
      'a__grow',
      'artifact_read',
      'find_tools',
      'call_tool',
    ]);
  });

  test('the history is append-only: each request begins with the previous request', async () => {
    const tools: { [wireName: string]: FakeTool } = {};
    tools['a__grow'] = {
      annotations: READ_ONLY,
      call: () => {
        tools[`a__later_${Object.keys(tools).length}`] = read('late');
        return Promise.resolve(ok('grown'));
      },
    };
    const service = await openService({
      script: callsThenAnswer([
        [{ name: 'a__grow' }],
        [{ name: 'a__grow' }],
        [{ name: 'a__grow' }],
      ]),
      tools,
    });
    await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    const texts = service.llm.requests.map(({ messages }) => JSON.stringify(messages).slice(0, -1));
    expect(texts).toHaveLength(4);
    for (const [at, text] of texts.entries())
      expect(text.startsWith(texts[at - 1] ?? '')).toBe(true);
  });

  test('an added tool joins the array at the next user message, and earlier thinking is then left out', async () => {
    const tools: { [wireName: string]: FakeTool } = { a__first: read('1') };
    const service = await withThread({
      script: (_, index) => ({
        text: `answer ${index}`,
        native: { provider: 'p', model: 'm', items: [index] },
      }),
      tools,
    });
    const ask = async (prompt: string): Promise<void> =>
      void (await service.settled((await service.engine.createRun({ prompt, threadId: 't1' })).id));
    await ask('one');
    await ask('two');
    tools['a__later'] = read('late');
    await ask('three');
    const natives = (request: number): readonly unknown[] =>
      service.llm.requests[request]!.messages.filter(({ role }) => role === 'assistant').map(
        ({ native }) => native?.items,
      );
    expect(natives(1)).toEqual([[0]]);
    expect(natives(2)).toEqual([undefined, undefined]);
    expect(offered(service, 1)).toEqual(['a__first', 'artifact_read']);
    expect(offered(service, 2)).toEqual(['a__first', 'a__later', 'artifact_read']);
  });

  test('an epoch outlives the process: the next process sends the same beginning, even with other servers', async () => {
    const script = callsThenAnswer([[{ name: 'a__x' }]]);
    const first = await openService({
      script,
      tools: { a__x: read('x') },
      crashAt: 'after-settle-call-commit',
    });
    const run = await first.engine.createRun({ prompt: 'go' });
    await first.crashed;
    await first.kill();
    const second = await openService({
      script,
      tools: { a__y: read('y') },
      dataDir: first.dataDir,
      clock: first.clock,
    });
    expect((await second.settled(run.id)).status).toBe('completed');
    const [before, after] = [first.llm.requests[0]!, second.llm.requests.at(-1)!];
    expect([after.system, after.tools]).toEqual([before.system, before.tools]);
    expect(requestText(second, 0)).toContain('added: a__y');
  });
});

describe('call_tool', () => {
  const asked = (input: ToolUse['input']): Script =>
    callsThenAnswer([[{ name: 'call_tool', input }]]);

  test('the ledger, the events and the approval show the real tool', async () => {
    const service = await openService({
      script: asked({ name: 'a__write', arguments: { text: 'hi' } }),
      tools: { a__write: { call: () => Promise.resolve(ok('written')) } },
    });
    const run = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(run.id);
    expect(item).toMatchObject({ kind: 'tool_approval', request: { arguments: { text: 'hi' } } });
    expect(service.registry.sent).toEqual([]);
    expect((await service.event(run.id, 'tool_call.planned')).data).toMatchObject({
      name: 'a__write',
      server: 'a',
      tool: 'write',
      arguments: { text: 'hi' },
      decision: 'ask',
    });
    await service.engine.respond(item.id, { action: 'approve' });
    expect((await service.settled(run.id)).status).toBe('completed');
    expect(await service.call(run.id)).toMatchObject({
      wireName: 'a__write',
      server: 'a',
      arguments: { text: 'hi' },
      state: 'succeeded',
      modelArguments: undefined,
    });
  });

  test('denied tools are denied', async () => {
    const service = await openService({
      script: asked({ name: 'a__write' }),
      tools: { a__write: { call: () => Promise.resolve(ok('written')) } },
      policies: { a: { approval: 'deny', sampling: 'deny' } },
    });
    await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    expect(service.registry.sent).toEqual([]);
    expect(requestText(service, 1)).toContain('does not allow calls of the tool write');
  });

  test('tools of servers that the run may not use are not reached', async () => {
    const service = await openService({
      script: asked({ name: 'b__secret' }),
      tools: { a__x: read('x'), b__secret: read('s') },
    });
    await service.settled((await service.engine.createRun({ prompt: 'go', servers: ['a'] })).id);
    expect(service.registry.sent).toEqual([]);
    expect(requestText(service, 1)).toContain('There is no tool named b__secret');
  });

  test.each([
    [{}, 'name: must be the name of a tool'],
    [{ name: 'a__x', arguments: '{"a":1}' }, 'are not a JSON object'],
    [{ name: 'a__x', a: 1 }, 'has no argument \\"a\\"'],
    [{ name: 'call_tool', arguments: { name: 'a__x' } }, 'it calls itself'],
    [{ name: 'a__z' }, 'There is no tool named a__z. Close names: a__x.'],
  ])('%j is answered with its problem', async (input, message) => {
    const service = await openService({ script: asked(input), tools: { a__x: read('x') } });
    await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    expect(service.registry.sent).toEqual([]);
    expect(requestText(service, 1)).toContain(message);
  });
});

describe('find_tools', () => {
  const TOOLS = {
    a__x: read('x'),
    b__y: { ...read('y'), description: 'Y'.repeat(40_000) },
    ...many('big', 60),
  };

  test.each([
    [{ query: 'a__x' }, '{\\"name\\":\\"a__x\\"', 'succeeded'],
    [
      { query: 'thing', server: 'big', limit: 2 },
      '2 of 60 tools that fit, the best first. 58 more fit less well.',
      'succeeded',
    ],
    [
      { query: 'submarine' },
      'No tool has a word of this query. Tools by server: a (1), b (1), big (60). Try other words.',
      'succeeded',
    ],
    [
      { query: 'x', server: 'c' },
      'There is no server \\"c\\" with tools. Tools by server: a (1), b (1), big (60).',
      'failed',
    ],
    [{ query: '' }, 'query: must be a few words', 'failed'],
    [{ query: 'x'.repeat(201) }, 'query: must have at most 200 characters', 'failed'],
    [{ query: 'x', limit: 0 }, 'limit: must be a whole number from 1 to 25', 'failed'],
    [{ query: 'x', server: 1 }, 'server: must be the name of a server', 'failed'],
  ])('answers %j', async (input, answer, state) => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'find_tools', input }]]),
      tools: TOOLS,
    });
    const run = await service.engine.createRun({ prompt: 'go' });
    await service.settled(run.id);
    expect(requestText(service, 1)).toContain(answer);
    expect((await service.call(run.id)).state).toBe(state);
  });

  test('results are bounded, and the full name of a tool returns its whole definition', async () => {
    const script = callsThenAnswer([
      [
        { name: 'find_tools', input: { query: 'thing y x', limit: 100 } },
        { name: 'find_tools', input: { query: 'b__y' } },
      ],
    ]);
    const service = await openService({ script, tools: TOOLS });
    const run = await service.engine.createRun({ prompt: 'go' });
    await service.settled(run.id);
    const [list, whole] = await service.read.toolCalls(run.id);
    expect(JSON.stringify(list?.result).length).toBeLessThan(40_000);
    expect(JSON.stringify(whole?.result).length).toBeGreaterThan(40_000);
  });
});

describe('server instructions', () => {
  test('are in the system prompt by server name, bounded, and only for the servers of the run', async () => {
    const service = await openService({
      script: () => ({ text: 'done' }),
      tools: { b__x: read('x'), a__x: read('x'), c__x: read('x'), d__x: read('x') },
      isStarted: false,
    });
    service.registry.status = {
      a: { instructions: ' Use a gently. ' },
      b: { instructions: 'b'.repeat(10_000) },
      c: { instructions: '  ' },
      d: { instructions: 'secret d' },
    };
    await service.engine.start();
    await service.settled(
      (
        await service.engine.createRun({
          prompt: 'go',
          servers: ['a', 'b', 'c'],
          instructions: 'Answer in verse.',
        })
      ).id,
    );
    const system = service.llm.requests[0]!.system!;
    expect(system).toMatch(/\[a\]\nUse a gently\.\n\n\[b\]\nb{4000} \[…\]\n\nAnswer in verse\.$/);
    expect(system).not.toContain('secret d');
    expect(system).not.toContain('[c]');
  });

  test('have a common limit, and servers beyond it are only named', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const service = await openService({
      script: () => ({ text: 'done' }),
      tools: Object.fromEntries(names.map((name) => [`${name}__x`, read('x')])),
      isStarted: false,
    });
    service.registry.status = Object.fromEntries(
      names.map((name) => [name, { instructions: name.repeat(5000) }]),
    );
    await service.engine.start();
    await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    const system = service.llm.requests[0]!.system!;
    expect(system.length).toBeLessThan(20_000);
    expect(system).toContain('[f: left out, there is no more room]');
  });
});
