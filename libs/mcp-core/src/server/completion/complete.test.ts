import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import { connectRaw, initialize } from '../../testing/raw-client.test.support.ts';
import { speak, type Speak } from '../../testing/speak.test.support.ts';
import { createServer } from '../create-server.ts';
import { definePrompt } from '../prompts/prompt.ts';
import { defineResourceTemplate } from '../resources/resource.ts';

const info = { name: 'test-server', version: '1' };
const numbers = Array.from({ length: 250 }, (_, index) => String(index));

const prompt = definePrompt({
  name: 'p',
  arguments: [
    {
      name: 'language',
      complete: (value) => ['perl', 'python'].filter((name) => name.startsWith(value)),
    },
    {
      name: 'framework',
      complete: (_value, { arguments: chosen }) =>
        Promise.resolve([`${chosen.language ?? 'no'} framework`]),
    },
    { name: 'number', complete: () => numbers },
    { name: 'some', complete: () => ({ values: numbers, total: 1000 }) },
    { name: 'page', complete: () => ({ values: ['a'], hasMore: true }) },
    { name: 'free' },
  ],
  handler: () => ({ messages: [] }),
});
const template = defineResourceTemplate({
  uriTemplate: 'city://{country}/{name}',
  name: 'city',
  complete: {
    name: (value, { arguments: { country = '?' }, context }) => [
      `${value} in ${country} (${context.client.era})`,
    ],
  },
  read: () => 'city',
});
const server = createServer({
  info,
  prompts: [prompt],
  templates: [template],
});

function complete(ask: Speak, name: string, value = '', rest: object = {}): Promise<unknown> {
  return ask('completion/complete', {
    ref: { type: 'ref/prompt', name: 'p' },
    argument: { name, value },
    ...rest,
  });
}

describe('completion/complete', () => {
  test.each(PROTOCOL_VERSIONS)('%s: suggests values of a prompt argument', async (version) => {
    const ask = await speak(server, version);
    expect(await complete(ask, 'language', 'py')).toMatchObject({
      result: { completion: { values: ['python'], total: 1, hasMore: false } },
    });
    expect(await complete(ask, 'free', 'x')).toMatchObject({
      result: { completion: { values: [], total: 0, hasMore: false } },
    });
  });

  test('receives the values that were chosen before', async () => {
    const ask = await speak(server, '2025-06-18');
    const context = { arguments: { language: 'python' } };
    expect(await complete(ask, 'framework', '', { context })).toMatchObject({
      result: { completion: { values: ['python framework'] } },
    });
    expect(await complete(ask, 'framework', '', { context: {} })).toMatchObject({
      result: { completion: { values: ['no framework'] } },
    });
  });

  test('sends 100 values at most and counts all', async () => {
    const ask = await speak(server, '2026-07-28');
    const first = numbers.slice(0, 100);
    expect(await complete(ask, 'number')).toMatchObject({
      result: { resultType: 'complete', completion: { values: first, total: 250, hasMore: true } },
    });
    expect(await complete(ask, 'some')).toMatchObject({
      result: { completion: { values: first, total: 1000, hasMore: true } },
    });
    expect(await complete(ask, 'page')).toHaveProperty('result.completion', {
      values: ['a'],
      hasMore: true,
    });
  });

  test('suggests values of a template variable', async () => {
    const ask = await speak(server, '2026-07-28');
    const ref = { type: 'ref/resource', uri: 'city://{country}/{name}' };
    const context = { arguments: { country: 'de' } };
    expect(
      await ask('completion/complete', { ref, argument: { name: 'name', value: 'Ber' }, context }),
    ).toMatchObject({
      result: { completion: { values: ['Ber in de (modern)'], total: 1, hasMore: false } },
    });
    expect(
      await ask('completion/complete', { ref, argument: { name: 'country', value: '' } }),
    ).toMatchObject({ result: { completion: { values: [] } } });
  });

  test.each<[string, { [key: string]: unknown }]>([
    ['ref and argument must be objects', {}],
    ['ref and argument must be objects', { ref: 'p', argument: {} }],
    ['ref and argument must be objects', { ref: {}, argument: [] }],
    [
      'ref.type must be "ref/prompt" or "ref/resource"',
      { ref: { type: 'ref/tool', name: 'p' }, argument: { name: 'a', value: '' } },
    ],
    [
      'ref.name must be a string',
      { ref: { type: 'ref/prompt' }, argument: { name: 'a', value: '' } },
    ],
    [
      'ref.uri must be a string',
      { ref: { type: 'ref/resource', name: 'p' }, argument: { name: 'a', value: '' } },
    ],
    [
      'unknown prompt q',
      { ref: { type: 'ref/prompt', name: 'q' }, argument: { name: 'a', value: '' } },
    ],
    [
      'the prompt p has no argument a',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
    ],
    [
      'argument.name must be a string',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { value: '' } },
    ],
    [
      'argument.value must be a string',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'language', value: 3 } },
    ],
    [
      'unknown resource template city://x/y',
      { ref: { type: 'ref/resource', uri: 'city://x/y' }, argument: { name: 'name', value: '' } },
    ],
    [
      'has no variable toString',
      {
        ref: { type: 'ref/resource', uri: 'city://{country}/{name}' },
        argument: { name: 'toString', value: '' },
      },
    ],
    [
      'context must be an object',
      {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'language', value: '' },
        context: 'x',
      },
    ],
    [
      'context.arguments.language must be a string',
      {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'language', value: '' },
        context: { arguments: { language: 1 } },
      },
    ],
  ])('refuses invalid params: %s', async (detail, params) => {
    const ask = await speak(server, '2025-11-25');
    expect(await ask('completion/complete', params)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(detail) as string },
    });
  });

  test('does not take members of Object.prototype for completers', async () => {
    const uriTemplate: string = 'odd://{a}/{constructor}';
    const odd = defineResourceTemplate({
      uriTemplate,
      name: 'odd',
      complete: { a: () => ['x'] },
      read: () => '',
    });
    const ask = await speak(createServer({ info, templates: [odd] }), '2026-07-28');
    const params = {
      ref: { type: 'ref/resource', uri: uriTemplate },
      argument: { name: 'constructor', value: 'x' },
    };
    expect(await ask('completion/complete', params)).toMatchObject({
      result: { completion: { values: [] } },
    });
  });

  test('is declared only by a server with completers', async () => {
    const bare = definePrompt({ name: 'bare', handler: () => ({ messages: [] }) });
    const declared = async (options: object): Promise<unknown> => {
      const { result } = await initialize(
        await connectRaw(createServer({ info, ...options })),
        '2025-11-25',
      );
      return (result as { capabilities: { completions?: unknown } }).capabilities.completions;
    };
    expect(await declared({ prompts: [prompt] })).toEqual({});
    expect(await declared({ templates: [template] })).toEqual({});
    expect(await declared({ prompts: [bare], resources: [] })).toBeUndefined();
  });
});
