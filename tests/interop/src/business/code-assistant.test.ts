import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { Key } from '../rules/message.ts';
import { openWithoutHandshake } from '../rules/raw-client.ts';
import {
  COMPLEXITY_SAMPLING,
  createCodeAssistant,
  INSTRUCTIONS,
  SOURCE,
  STRATEGY_FORM,
} from './code-assistant.ts';
import { chosen, replay, type Line } from './replay.ts';

const clientInfo = { name: 'editor-plugin', version: '1.4.2', title: 'The editor’s assistant' };
const serverInfo = { name: 'code-assistant', version: '2.3.1', title: 'Code assistant' };
const roots = [
  { uri: 'file:///projects/app', name: 'app', _meta: { projectType: 'python' } },
  {
    uri: 'file:///projects/shared-lib',
    name: 'Shared library',
    _meta: { projectType: 'typescript' },
  },
];
const refactoring = {
  name: 'refactor_function',
  arguments: {
    file_path: 'src/main.py',
    function_name: 'add',
    refactor_type: 'add_type_hints',
    complexity: 'simple',
  },
};
const refactored = {
  content: [{ type: 'text', text: 'add has type hints now', annotations: { audience: ['user'] } }],
  structuredContent: {
    refactored_code: 'def add(a: int, b: int) -> int:\n    return a + b',
    original_code: 'def add(a, b):\n    return a + b',
    changes_made: ['added_type_hints'],
  },
  isError: false,
};
const promptArguments = {
  language: 'python',
  function_name: 'add',
  test_framework: 'pytest',
  complexity: 'thorough',
};
const promptResult = {
  description: 'Tests of add for pytest',
  messages: [
    {
      role: 'user',
      content: {
        type: 'text',
        text: 'Write python tests of add for pytest, its limits and failures included.',
      },
    },
  ],
};
const completionParams = {
  ref: { type: 'ref/resource', uri: 'file:///projects/{+path}' },
  argument: { name: 'path', value: 'src/' },
  context: { arguments: { current_file: 'src/main.py' } },
};
const completion = {
  values: [
    'src/add.py',
    'src/format_result.py',
    'src/validate_input.py',
    'src/subtract.py',
    'src/multiply.py',
    'src/divide.py',
    'src/power.py',
    'src/root.py',
  ],
  total: 8,
  hasMore: false,
};
const explanation = {
  role: 'assistant',
  content: { type: 'text', text: 'O(n): each item is looked at once.' },
  model: 'claude-3-sonnet',
  stopReason: 'endTurn',
};
const file = { uri: 'file:///projects/app/src/main.py', mimeType: 'text/x-python', text: SOURCE };

const client = (message: JsonObject): Line => ({ client: { jsonrpc: '2.0', ...message } });
const server = (message: JsonObject): Line => ({ server: { jsonrpc: '2.0', ...message } });
/** A request of the client and the result it must get. */
const call = (request: JsonObject & { id: string }, result: JsonObject): Line[] => [
  client(request),
  server({ id: request.id, result }),
];

describe.each(['stdio', 'http'] as const)(
  'a session with a code assistant, 2025-06-18, over %s',
  (wire) => {
    const opening: Line[] = [
      client({
        id: 'init_1',
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {
            tools: {},
            resources: {},
            sampling: {},
            elicitation: {},
            roots: { listChanged: true },
          },
          clientInfo,
        },
      }),
      server({
        id: 'init_1',
        result: {
          protocolVersion: '2025-06-18',
          capabilities: {
            logging: {},
            completions: {},
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
          },
          serverInfo,
          instructions: INSTRUCTIONS,
        },
      }),
      client({ method: 'notifications/initialized' }),
      server({ id: chosen('roots'), method: 'roots/list', params: {} }),
      client({ id: chosen('roots'), result: { roots } }),
    ];

    test('is exact, message by message', async () => {
      const { server: assistant, rootsSeen } = createCodeAssistant();
      const raw = await openWithoutHandshake(assistant, { era: 'legacy', wire });
      const strategy = {
        type: 'string',
        title: 'Strategy',
        enum: ['memoize', 'vectorize'],
        enumNames: ['Remember results', 'Work on whole arrays'],
      };
      await replay(raw, [
        ...opening,
        ...call(
          {
            id: 'read_1',
            method: 'resources/read',
            params: { uri: file.uri, _meta: { purpose: 'code_analysis' } },
          },
          { contents: [file] },
        ),
        client({
          id: 'tool_1',
          method: 'tools/call',
          params: { ...refactoring, _meta: { progressToken: 'refactor_progress_1' } },
        }),
        server({
          method: 'notifications/progress',
          params: {
            progressToken: 'refactor_progress_1',
            progress: 75,
            total: 100,
            message: 'Applying the change',
          },
        }),
        server({ id: 'tool_1', result: refactored }),
        ...call(
          {
            id: 'prompt_1',
            method: 'prompts/get',
            params: { name: 'generate_unit_test', arguments: promptArguments },
          },
          promptResult,
        ),
        client({ id: 'tool_2', method: 'tools/call', params: { name: 'explain_complexity' } }),
        server({
          id: chosen('sample'),
          method: 'sampling/createMessage',
          params: COMPLEXITY_SAMPLING,
        }),
        client({ id: chosen('sample'), result: explanation }),
        server({ id: 'tool_2', result: { content: [explanation.content] } }),
        ...call(
          { id: 'complete_1', method: 'completion/complete', params: completionParams },
          { completion },
        ),
        client({
          id: 'tool_3',
          method: 'tools/call',
          params: { name: 'optimize_function', arguments: {} },
        }),
        server({
          id: chosen('elicit'),
          method: 'elicitation/create',
          params: {
            message: STRATEGY_FORM.message,
            requestedSchema: {
              ...STRATEGY_FORM.requestedSchema,
              properties: {
                strategy,
                urgency: { type: 'string', title: 'Urgency', enum: ['high', 'medium', 'low'] },
              },
            },
          },
        }),
        client({
          id: chosen('elicit'),
          result: { action: 'accept', content: { strategy: 'memoize', urgency: 'medium' } },
        }),
        server({
          id: 'tool_3',
          result: {
            content: [{ type: 'text', text: '{"action":"accept","strategy":"memoize"}' }],
            structuredContent: { action: 'accept', strategy: 'memoize' },
          },
        }),
        ...call({ id: 'log_1', method: 'logging/setLevel', params: { level: 'info' } }, {}),
        client({ id: 'tool_4', method: 'tools/call', params: { name: 'analyze_code' } }),
        server({ id: chosen('roots again'), method: 'roots/list', params: {} }),
        client({ id: chosen('roots again'), result: { roots } }),
        server({
          method: 'notifications/message',
          params: { level: 'info', logger: 'code_analyzer', data: 'parsing the code' },
        }),
        server({
          id: 'tool_4',
          result: {
            content: [{ type: 'text', text: expect.any(String) as unknown }],
            structuredContent: { roots: roots.map(({ uri }) => uri) },
          },
        }),
        ...call({ id: 'ping_1', method: 'ping' }, {}),
        client({
          method: 'notifications/cancelled',
          params: { requestId: 'tool_1', reason: 'The user changed his mind after the end' },
        }),
      ]);
      expect(rootsSeen).toEqual([['file:///projects/app', 'file:///projects/shared-lib']]);
    });

    test('sends no elicitation to a client without the capability', async () => {
      const { server: assistant } = createCodeAssistant();
      const raw = await openWithoutHandshake(assistant, { era: 'legacy', wire });
      await replay(raw, [
        client({
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: { sampling: {} }, clientInfo },
        }),
        server({
          id: 1,
          result: expect.objectContaining({ protocolVersion: '2025-06-18' }) as JsonObject,
        }),
        client({ method: 'notifications/initialized' }),
        client({ id: 2, method: 'tools/call', params: { name: 'optimize_function' } }),
        server({
          id: 2,
          result: {
            isError: true,
            content: [{ type: 'text', text: expect.stringContaining('elicitation') as unknown }],
          },
        }),
      ]);
    });
  },
);

describe.each(['stdio', 'http'] as const)('the same work, 2026-07-28, over %s', (wire) => {
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const meta = {
    [Key.protocolVersion]: '2026-07-28',
    [Key.clientInfo]: clientInfo,
    [Key.clientCapabilities]: capabilities,
  };
  const stamp = { _meta: { [Key.serverInfo]: serverInfo } };
  const done = (result: JsonObject): JsonObject => ({
    resultType: 'complete',
    ...result,
    ...stamp,
  });
  const ask = (
    id: string,
    method: string,
    params: JsonObject = {},
    more: JsonObject = {},
  ): JsonObject & { id: string } => ({
    id,
    method,
    params: { ...params, _meta: { ...more, ...meta } },
  });
  /** Returns the input request that a call gets, and the call repeated with the response. */
  const round = (
    id: string,
    params: JsonObject,
    inputRequest: { readonly key: string; readonly asks: JsonObject; readonly answer: JsonObject },
  ): Line[] => [
    client(ask(id, 'tools/call', params)),
    server({
      id,
      result: {
        resultType: 'input_required',
        inputRequests: { [inputRequest.key]: inputRequest.asks },
        requestState: chosen(`state of ${id}`),
        ...stamp,
      },
    }),
    client(
      ask(`${id}_again`, 'tools/call', {
        ...params,
        requestState: chosen(`state of ${id}`),
        inputResponses: { [inputRequest.key]: inputRequest.answer },
      }),
    ),
  ];

  test('is exact, message by message, each request on its own', async () => {
    const { server: assistant } = createCodeAssistant();
    const raw = await openWithoutHandshake(assistant, { era: 'modern', wire, capabilities });
    const hints = {
      ttlMs: expect.any(Number) as unknown,
      cacheScope: expect.stringMatching(/^(public|private)$/u) as unknown,
    };
    await replay(raw, [
      ...call(
        ask('discover_1', 'server/discover'),
        done({
          supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
          capabilities: {
            logging: {},
            completions: {},
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
          },
          instructions: INSTRUCTIONS,
          ...hints,
        }),
      ),
      ...call(
        ask('read_1', 'resources/read', { uri: file.uri }, { purpose: 'code_analysis' }),
        done({ contents: [file], ...hints }),
      ),
      client(ask('tool_1', 'tools/call', refactoring, { progressToken: 'refactor_progress_1' })),
      server({
        method: 'notifications/progress',
        params: {
          progressToken: 'refactor_progress_1',
          progress: 75,
          total: 100,
          message: 'Applying the change',
        },
      }),
      server({ id: 'tool_1', result: done(refactored) }),
      ...call(
        ask('prompt_1', 'prompts/get', { name: 'generate_unit_test', arguments: promptArguments }),
        done(promptResult),
      ),
      ...round(
        'tool_2',
        { name: 'explain_complexity' },
        {
          key: 'complexity',
          asks: { method: 'sampling/createMessage', params: COMPLEXITY_SAMPLING },
          answer: explanation,
        },
      ),
      server({ id: 'tool_2_again', result: done({ content: [explanation.content] }) }),
      ...call(ask('complete_1', 'completion/complete', completionParams), done({ completion })),
      ...round(
        'tool_3',
        { name: 'optimize_function', arguments: {} },
        {
          key: 'strategy',
          asks: { method: 'elicitation/create', params: STRATEGY_FORM },
          answer: { action: 'accept', content: { strategy: 'memoize', urgency: 'medium' } },
        },
      ),
      server({
        id: 'tool_3_again',
        result: done({
          content: [{ type: 'text', text: '{"action":"accept","strategy":"memoize"}' }],
          structuredContent: { action: 'accept', strategy: 'memoize' },
        }),
      }),
      // A log level applies to one request; a request without one gets no log messages.
      ...round(
        'tool_4',
        { name: 'analyze_code' },
        { key: 'roots', asks: { method: 'roots/list', params: {} }, answer: { roots } },
      ),
      server({
        id: 'tool_4_again',
        result: done({
          content: [{ type: 'text', text: expect.any(String) as unknown }],
          structuredContent: { roots: roots.map(({ uri }) => uri) },
        }),
      }),
      client(ask('tool_5', 'tools/call', { name: 'analyze_code' }, { [Key.logLevel]: 'info' })),
      server({
        id: 'tool_5',
        result: {
          resultType: 'input_required',
          inputRequests: { roots: { method: 'roots/list', params: {} } },
          requestState: chosen('five'),
          ...stamp,
        },
      }),
      client(
        ask(
          'tool_6',
          'tools/call',
          {
            name: 'analyze_code',
            requestState: chosen('five'),
            inputResponses: { roots: { roots } },
          },
          { [Key.logLevel]: 'info' },
        ),
      ),
      server({
        method: 'notifications/message',
        params: { level: 'info', logger: 'code_analyzer', data: 'parsing the code' },
      }),
      server({
        id: 'tool_6',
        result: expect.objectContaining({ resultType: 'complete' }) as JsonObject,
      }),
      client(ask('ping_1', 'ping')),
      server({ id: 'ping_1', error: { code: -32601, message: expect.any(String) as unknown } }),
      client({
        method: 'notifications/cancelled',
        params: { requestId: 'tool_1', reason: 'The user changed his mind after the end' },
      }),
    ]);
  });
});
