import { describe, expect, expectTypeOf, test } from 'vitest';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { speak } from '../../testing/speak.test.support.ts';
import { createServer } from '../create-server.ts';
import { definePrompt, type PromptDefinition, type PromptOutput } from './prompt.ts';

const info = { name: 'test-server', version: '1' };

const simple = definePrompt({
  name: 'simple',
  description: 'A simple prompt',
  handler: () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] }),
});
const review = definePrompt({
  name: 'review',
  title: 'Review',
  description: 'Reviews code',
  icons: [{ src: 'https://example.com/i.png' }],
  arguments: [
    { name: 'code', description: 'What to review', required: true, complete: () => ['a'] },
    { name: 'style', title: 'Style' },
  ],
  handler: ({ code, style }, { client }) => {
    expectTypeOf(code).toEqualTypeOf<string>();
    expectTypeOf(style).toEqualTypeOf<string | undefined>();
    return {
      description: 'A review',
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: `${client.era}: ${code} ${style ?? 'any'}` },
        },
      ],
    };
  },
});

function prompt(name: string, handler: PromptDefinition['handler']): PromptDefinition {
  return { name, handler };
}

describe('the output of a prompt', () => {
  const result = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }] } as const;
  test.each<[string, PromptOutput]>([
    ['a string', 'Hi'],
    ['messages', result.messages],
    ['a result', result],
  ])('may be %s', async (_what, output) => {
    const prompts = [definePrompt({ name: 'p', handler: () => output })];
    for (const version of ['2025-11-25', '2026-07-28']) {
      const ask = await speak(createServer({ info, prompts }), version);
      expect((await ask('prompts/get', { name: 'p' })).result).toMatchObject(result);
    }
  });
});

describe('prompts/list', () => {
  test('is sorted by name, without handlers and completers', async () => {
    const published = [
      {
        name: 'review',
        title: 'Review',
        description: 'Reviews code',
        icons: [{ src: 'https://example.com/i.png' }],
        arguments: [
          { name: 'code', description: 'What to review', required: true },
          { name: 'style', title: 'Style' },
        ],
      },
      { name: 'simple', description: 'A simple prompt' },
    ];
    for (const version of PROTOCOL_VERSIONS) {
      const ask = await speak(createServer({ info, prompts: [simple, review] }), version);
      const { result } = await ask('prompts/list');
      const modernMembers = {
        resultType: 'complete',
        ttlMs: 60_000,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': info },
      };
      expect(result).toEqual({
        prompts: published,
        ...(version === '2026-07-28' ? modernMembers : {}),
      });
    }
  });

  test('comes in pages of the size the server has', async () => {
    const prompts = ['c', 'a', 'b'].map((name) => prompt(name, () => ({ messages: [] })));
    const ask = await speak(
      createServer({ info, prompts, settings: { lists: { pageSize: 2 } } }),
      '2025-11-25',
    );
    const { result: first } = await ask('prompts/list');
    expect(first).toMatchObject({
      prompts: [{ name: 'a' }, { name: 'b' }],
      nextCursor: expect.any(String) as string,
    });
    const { result: second } = await ask('prompts/list', {
      cursor: (first as { nextCursor: string }).nextCursor,
    });
    expect(second).toEqual({ prompts: [{ name: 'c' }] });
    expect(await ask('prompts/list', { cursor: 'x' })).toMatchObject({ error: { code: -32602 } });
  });
});

describe('prompts/get', () => {
  test.each(PROTOCOL_VERSIONS)('%s: returns the messages', async (version) => {
    const ask = await speak(createServer({ info, prompts: [review] }), version);
    const { result } = await ask('prompts/get', { name: 'review', arguments: { code: 'x = 1' } });
    const era = version === '2026-07-28' ? 'modern' : 'legacy';
    expect(result).toMatchObject({
      description: 'A review',
      messages: [{ role: 'user', content: { type: 'text', text: `${era}: x = 1 any` } }],
    });
    expect(Object.hasOwn(result as object, 'resultType')).toBe(version === '2026-07-28');
  });

  test.each<[string, { [key: string]: unknown } | undefined, string]>([
    ['no name', {}, 'Invalid params: name must be a string'],
    ['a name that is no text', { name: 1 }, 'Invalid params: name must be a string'],
    ['an unknown prompt', { name: 'toString' }, 'Unknown prompt: toString'],
    [
      'a required argument that is missing',
      { name: 'review' },
      'Invalid params: the prompt review requires code',
    ],
    [
      'a required argument that is only inherited',
      { name: 'review', arguments: { style: 'x' } },
      'Invalid params: the prompt review requires code',
    ],
    [
      'an argument that is not a string',
      { name: 'review', arguments: { code: true } },
      'Invalid params: arguments.code must be a string',
    ],
    [
      'arguments that are a list',
      { name: 'review', arguments: ['x'] },
      'Invalid params: arguments must be an object',
    ],
    [
      'arguments that are null',
      { name: 'review', arguments: null },
      'Invalid params: arguments must be an object',
    ],
  ])('refuses %s', async (_what, params, message) => {
    for (const version of ['2024-11-05', '2026-07-28']) {
      const ask = await speak(createServer({ info, prompts: [review] }), version);
      expect(await ask('prompts/get', params)).toMatchObject({ error: { code: -32602, message } });
    }
  });

  test('sends only the errors that a handler means for the client', async () => {
    const errors: unknown[] = [];
    const prompts = [
      prompt('meant', () => {
        throw new ProtocolError(ErrorCode.invalidParams, 'No such branch');
      }),
      prompt('broken', () => Promise.reject(new Error('secret'))),
    ];
    const ask = await speak(
      createServer({ info, prompts, events: { onError: (error) => errors.push(error) } }),
      '2025-11-25',
    );
    expect(await ask('prompts/get', { name: 'meant' })).toMatchObject({
      error: { code: -32602, message: 'No such branch' },
    });
    expect(await ask('prompts/get', { name: 'broken' })).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    });
    expect(errors).toHaveLength(1);
  });

  test.each([
    ['2024-11-05', ['text', 'text', 'resource']],
    ['2025-03-26', ['audio', 'text', 'resource']],
    ['2025-06-18', ['audio', 'resource_link', 'resource']],
    ['2026-07-28', ['audio', 'resource_link', 'resource']],
  ])('%s: converts unknown content to text', async (version, types) => {
    const media = prompt('media', () => ({
      messages: [
        { role: 'user', content: { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' } },
        { role: 'assistant', content: { type: 'resource_link', uri: 'test://a', name: 'a' } },
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: 'test://b', text: 'b' },
            annotations: { priority: 1 },
          },
        },
      ],
    }));
    const ask = await speak(createServer({ info, prompts: [media] }), version);
    const { messages } = (await ask('prompts/get', { name: 'media' })).result as {
      messages: { role: string; content: { type: string; annotations?: unknown } }[];
    };
    expect(messages.map(({ content }) => content.type)).toEqual(types);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[2]?.content.annotations).toEqual({ priority: 1 });
  });

  test('can require input', async () => {
    const asking = prompt('asking', async (_args, context) => {
      const roots = await context.listRoots();
      return {
        messages: [{ role: 'user', content: { type: 'text', text: String(roots.length) } }],
      };
    });
    const ask = await speak(createServer({ info, prompts: [asking] }), '2026-07-28', { roots: {} });
    expect(await ask('prompts/get', { name: 'asking' })).toMatchObject({
      result: { resultType: 'input_required', inputRequests: { roots: { method: 'roots/list' } } },
    });
    const cannot = await speak(createServer({ info, prompts: [asking] }), '2026-07-28');
    expect(await cannot('prompts/get', { name: 'asking' })).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    });
  });
});

describe('createServer', () => {
  test.each([
    ['Two prompts are named simple', [simple, simple]],
    ['A prompt has no name', [{ ...simple, name: '' }]],
    [
      'The arguments of the prompt simple must have unique names that are not empty',
      [{ ...simple, arguments: [{ name: 'a' }, { name: 'a' }] }],
    ],
  ])('refuses prompts it cannot publish: %s', (message, prompts) => {
    expect(() => createServer({ info, prompts })).toThrow(message);
  });

  test.each([0, -1, 1.5, NaN])('refuses the page size %d', (pageSize) => {
    expect(() => createServer({ info, prompts: [], settings: { lists: { pageSize } } })).toThrow(
      'pageSize must be a positive integer',
    );
  });

  test('without prompts has no prompt methods', async () => {
    for (const version of PROTOCOL_VERSIONS) {
      const ask = await speak(createServer({ info, tools: [] }), version);
      for (const method of [
        'prompts/list',
        'prompts/get',
        'completion/complete',
        'resources/list',
        'resources/read',
      ]) {
        expect(await ask(method, { name: 'x', uri: 'x:/' })).toMatchObject({
          error: { code: -32601 },
        });
      }
    }
  });
});
