import type { CreateMessageParams, ElicitFormParams } from '@signalbox/mcp-core';
import {
  createServer,
  definePrompt,
  defineResourceTemplate,
  defineTool,
  type LegacySession,
  type Server,
} from '@signalbox/mcp-core/server';

/** The file that the conversation is about. */
export const SOURCE = 'def add(a, b):\n    return a + b\n\nprint("héllo, 世界", add(10, 20))\n';
export const INSTRUCTIONS = 'Reads, reviews and refactors the code below the roots you show me.';

export const COMPLEXITY_SAMPLING: CreateMessageParams = {
  messages: [
    {
      role: 'user',
      content: {
        type: 'text',
        text: 'What is the complexity of this loop, in O notation?\n\nfor item in items: seen.add(item)',
      },
    },
  ],
  systemPrompt: 'You are a careful reviewer of algorithms.',
  maxTokens: 500,
  temperature: 0.3,
  modelPreferences: { hints: [{ name: 'claude' }], intelligencePriority: 0.9, speedPriority: 0.2 },
};

export const STRATEGY_FORM: ElicitFormParams = {
  message: 'add() could be faster. How shall it be optimized?',
  requestedSchema: {
    type: 'object',
    properties: {
      strategy: {
        type: 'string',
        title: 'Strategy',
        oneOf: [
          { const: 'memoize', title: 'Remember results' },
          { const: 'vectorize', title: 'Work on whole arrays' },
        ],
      },
      urgency: { type: 'string', title: 'Urgency', enum: ['high', 'medium', 'low'] },
    },
    required: ['strategy'],
  },
};

const annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;

const refactor = defineTool({
  name: 'refactor_function',
  description: 'Changes one function of a file.',
  inputSchema: {
    type: 'object',
    properties: {
      file_path: { type: 'string' },
      function_name: { type: 'string' },
      refactor_type: { type: 'string', enum: ['add_type_hints', 'inline'] },
      complexity: { type: 'string', enum: ['simple', 'thorough'] },
    },
    required: ['file_path', 'function_name', 'refactor_type'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      refactored_code: { type: 'string' },
      original_code: { type: 'string' },
      changes_made: { type: 'array', items: { type: 'string' } },
    },
    required: ['refactored_code', 'original_code', 'changes_made'],
  },
  annotations,
  handler: ({ function_name: name }, context) => {
    context.progress({ progress: 75, total: 100, message: 'Applying the change' });
    return {
      content: [
        { type: 'text', text: `${name} has type hints now`, annotations: { audience: ['user'] } },
      ],
      structuredContent: {
        refactored_code: 'def add(a: int, b: int) -> int:\n    return a + b',
        original_code: 'def add(a, b):\n    return a + b',
        changes_made: ['added_type_hints'],
      },
      isError: false,
    };
  },
});

const explain = defineTool({
  name: 'explain_complexity',
  description: 'Asks the model of the host what a loop costs.',
  inputSchema: noArguments,
  annotations,
  handler: async (_args, context) => {
    const { content } = await context.sample('complexity', COMPLEXITY_SAMPLING);
    return { content: [content].flat().filter((block) => block.type === 'text') };
  },
});

const optimize = defineTool({
  name: 'optimize_function',
  description: 'Lets a person choose how a function is optimized.',
  inputSchema: noArguments,
  annotations,
  handler: async (_args, context) => {
    const { action, content } = await context.elicit('strategy', STRATEGY_FORM);
    return { structuredContent: { action, strategy: content?.strategy ?? null } };
  },
});

const analyze = defineTool({
  name: 'analyze_code',
  description: 'Looks at the code below the roots.',
  inputSchema: noArguments,
  annotations,
  handler: async (_args, context) => {
    context.log('debug', 'counting the roots', 'code_analyzer');
    const roots = await context.listRoots();
    context.log('info', 'parsing the code', 'code_analyzer');
    return { structuredContent: { roots: roots.map(({ uri }) => uri) } };
  },
});

const unitTestPrompt = definePrompt({
  name: 'generate_unit_test',
  description: 'Unit tests for one function',
  arguments: [
    { name: 'language', required: true },
    { name: 'function_name', required: true },
    { name: 'test_framework', description: 'Default: that of the language' },
    { name: 'complexity' },
  ],
  handler: ({ language, function_name: name, test_framework: framework = 'any framework' }) => ({
    description: `Tests of ${name} for ${framework}`,
    messages: [
      {
        role: 'user',
        content: {
          type: 'text',
          text: `Write ${language} tests of ${name} for ${framework}, its limits and failures included.`,
        },
      },
    ],
  }),
});

const IMPORTS = [
  'add',
  'format_result',
  'validate_input',
  'subtract',
  'multiply',
  'divide',
  'power',
  'root',
];

const sourceFile = defineResourceTemplate({
  uriTemplate: 'file:///projects/{+path}',
  name: 'Source file',
  mimeType: 'text/x-python',
  read: (_variables, uri) => ({ contents: [{ uri, mimeType: 'text/x-python', text: SOURCE }] }),
  complete: {
    path: (value) =>
      IMPORTS.map((name) => `src/${name}.py`).filter((path) => path.startsWith(value)),
  },
});

/** Creates an assistant for programmers that requests roots, sampling and user input. */
export function createCodeAssistant(): {
  readonly server: Server;
  readonly rootsSeen: readonly (readonly string[])[];
} {
  const rootsSeen: string[][] = [];
  const onLegacySession = async (session: LegacySession): Promise<void> => {
    const roots = await session.listRoots();
    if (roots !== undefined) rootsSeen.push(roots.map(({ uri }) => uri));
  };
  const server = createServer({
    info: { name: 'code-assistant', version: '2.3.1', title: 'Code assistant' },
    instructions: INSTRUCTIONS,
    tools: [refactor, explain, optimize, analyze],
    prompts: [unitTestPrompt],
    templates: [sourceFile],
    settings: { resourceSubscriptions: true },
    events: { onLegacySession },
  });
  return { server, rootsSeen };
}
