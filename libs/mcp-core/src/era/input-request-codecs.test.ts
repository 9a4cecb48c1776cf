import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSIONS } from './versions.ts';
import type { CreateMessageParams } from '../protocol/client-features.ts';
import { LocalError, ProtocolError } from '../protocol/errors.ts';
import { legacyCodec } from './codecs.ts';

const r1 = legacyCodec('2024-11-05')!;
const r2 = legacyCodec('2025-03-26')!;
const r3 = legacyCodec('2025-06-18')!;
const r4 = legacyCodec('2025-11-25')!;
const legacy = PROTOCOL_VERSIONS.slice(1).map((version) => legacyCodec(version)!);

describe('the capabilities of a client', () => {
  test('depend on its declaration and the revision', () => {
    const everything = { roots: {}, sampling: { tools: {} }, elicitation: { form: {}, url: {} } };
    const capabilities = [
      'roots',
      'sampling',
      'sampling.tools',
      'elicitation',
      'elicitation.form',
      'elicitation.url',
    ] as const;
    const table = legacy.map((codec) =>
      capabilities.filter((capability) => codec.can(everything, capability)),
    );
    expect(table).toEqual([
      capabilities,
      ['roots', 'sampling', 'elicitation', 'elicitation.form'],
      ['roots', 'sampling'],
      ['roots', 'sampling'],
    ]);
    expect(capabilities.filter((capability) => r4.can({}, capability))).toEqual([]);
  });

  test('include form mode for an empty elicitation, but not for url alone', () => {
    expect([
      r4.can({ elicitation: {} }, 'elicitation.form'),
      r4.can({ elicitation: {} }, 'elicitation.url'),
    ]).toEqual([true, false]);
    expect([
      r4.can({ elicitation: { url: {} } }, 'elicitation.form'),
      r4.can({ elicitation: { url: {} } }, 'elicitation.url'),
    ]).toEqual([false, true]);
  });
});

describe('sampling', () => {
  const text = (value: string) => ({ type: 'text', text: value }) as const;
  const params: CreateMessageParams = {
    maxTokens: 9,
    messages: [
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: text('c') },
    ],
  };

  test('sends one block per message before 2025-11-25', () => {
    for (const codec of [r1, r2, r3]) {
      expect(codec.encodeInputRequest('sampling/createMessage', params)).toEqual({
        maxTokens: 9,
        messages: [
          { role: 'user', content: text('a') },
          { role: 'user', content: text('b') },
          { role: 'assistant', content: text('c') },
        ],
      });
    }
    expect(r4.encodeInputRequest('sampling/createMessage', params)).toEqual(params);
  });

  test('cannot use tools before 2025-11-25, nor audio in 2024-11-05', () => {
    const withTools = { ...params, tools: [] };
    const audio: CreateMessageParams = {
      maxTokens: 1,
      messages: [{ role: 'user', content: { type: 'audio', data: '', mimeType: 'audio/wav' } }],
    };
    expect(
      [r1, r2, r3].map((codec) => codec.encodeInputRequest('sampling/createMessage', withTools)),
    ).toEqual([undefined, undefined, undefined]);
    expect(r4.encodeInputRequest('sampling/createMessage', withTools)).toEqual(withTools);
    expect(r1.encodeInputRequest('sampling/createMessage', audio)).toBeUndefined();
    expect(r2.encodeInputRequest('sampling/createMessage', audio)).toEqual(audio);
  });

  test('rejects a response without role, content or model', () => {
    expect(
      r4.decodeInputResponse('sampling/createMessage', {
        role: 'assistant',
        content: text('x'),
        model: 'm',
      }),
    ).toMatchObject({ model: 'm' });
    for (const broken of [
      {},
      { role: 'robot', content: text('x'), model: 'm' },
      { role: 'assistant', content: 'x', model: 'm' },
      { role: 'user', content: text('x') },
    ]) {
      expect(() => r4.decodeInputResponse('sampling/createMessage', broken)).toThrow(LocalError);
    }
  });

  test('sends one block to an old server', () => {
    const answer = { role: 'assistant', model: 'm', content: [text('a'), text('b')] } as const;
    expect(r3.encodeInputResponse('sampling/createMessage', answer)).toEqual({
      role: 'assistant',
      model: 'm',
      content: text('a\nb'),
    });
    expect(r4.encodeInputResponse('sampling/createMessage', answer)).toEqual(answer);
    const image = { type: 'image', data: '', mimeType: 'image/png' } as const;
    expect(
      r3.encodeInputResponse('sampling/createMessage', { ...answer, content: [image] }).content,
    ).toEqual(image);
    expect(
      r3.encodeInputResponse('sampling/createMessage', { ...answer, content: [] }).content,
    ).toEqual(text(''));
  });

  test('rejects a malformed request on the client side', () => {
    expect(r4.decodeInputRequest('sampling/createMessage', { messages: [], maxTokens: 1 })).toEqual(
      {
        messages: [],
        maxTokens: 1,
      },
    );
    for (const broken of [
      undefined,
      {},
      { messages: [], maxTokens: '1' },
      { messages: [{ role: 'user' }], maxTokens: 1 },
    ]) {
      expect(() => r4.decodeInputRequest('sampling/createMessage', broken)).toThrow(ProtocolError);
    }
  });
});

describe('elicitation', () => {
  const form = {
    message: 'Which?',
    requestedSchema: {
      type: 'object',
      properties: {
        unit: {
          type: 'string',
          title: 'Unit',
          oneOf: [
            { const: 'c', title: 'Celsius' },
            { const: 'f', title: 'Fahrenheit' },
          ],
          default: 'c',
        },
        code: { type: 'string', pattern: '^x', minLength: 2 },
        sure: { type: 'boolean', default: true },
      },
      required: ['unit'],
    },
  } as const;

  test('uses the forms of 2025-06-18: named enums, boolean defaults only', () => {
    expect(r3.encodeInputRequest('elicitation/create', { mode: 'form', ...form })).toEqual({
      message: 'Which?',
      requestedSchema: {
        type: 'object',
        properties: {
          unit: {
            type: 'string',
            title: 'Unit',
            enum: ['c', 'f'],
            enumNames: ['Celsius', 'Fahrenheit'],
          },
          code: { type: 'string', minLength: 2 },
          sure: { type: 'boolean', default: true },
        },
        required: ['unit'],
      },
    });
  });

  test('keeps the newer forms from 2025-11-25 on, without pattern', () => {
    const encoded = r4.encodeInputRequest('elicitation/create', { mode: 'form', ...form });
    expect(encoded).toMatchObject({
      mode: 'form',
      requestedSchema: { properties: { unit: form.requestedSchema.properties.unit } },
    });
    expect(JSON.stringify(encoded)).not.toContain('pattern');
  });

  test('has no multiple choice in 2025-06-18, and does not exist before it', () => {
    const choice = {
      message: 'x',
      requestedSchema: {
        type: 'object',
        properties: { many: { type: 'array', items: { enum: ['a', 'b'] } } },
      },
    };
    expect(
      legacy.map((codec) => codec.encodeInputRequest('elicitation/create', choice) !== undefined),
    ).toEqual([true, false, false, false]);
    expect(
      legacy.map((codec) => codec.encodeInputRequest('elicitation/create', form) !== undefined),
    ).toEqual([true, true, false, false]);
  });

  test('has url mode with an id in 2025-11-25 only', () => {
    const url = {
      mode: 'url',
      message: 'Sign in',
      url: 'https://example.com',
      elicitationId: 'e1',
    } as const;
    expect(legacy.map((codec) => codec.encodeInputRequest('elicitation/create', url))).toEqual([
      url,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('reads content only from an accepted response', () => {
    expect(
      r4.decodeInputResponse('elicitation/create', { action: 'accept', content: { a: 1 } }),
    ).toEqual({
      action: 'accept',
      content: { a: 1 },
    });
    expect(
      r4.decodeInputResponse('elicitation/create', { action: 'decline', content: { a: 1 } }),
    ).toEqual({ action: 'decline' });
    expect(
      r4.decodeInputResponse('elicitation/create', { action: 'cancel', content: null }),
    ).toEqual({
      action: 'cancel',
    });
    for (const broken of [{}, { action: 'yes' }, { action: 'accept', content: [] }])
      expect(() => r4.decodeInputResponse('elicitation/create', broken)).toThrow(LocalError);
  });

  test('reads an absent mode as form and rejects an unknown one', () => {
    expect(r4.decodeInputRequest('elicitation/create', { ...form })).toMatchObject({
      mode: 'form',
    });
    for (const broken of [
      undefined,
      {},
      { message: 'x' },
      { message: 'x', mode: 'url' },
      { message: 'x', mode: 'fax', requestedSchema: {} },
    ]) {
      expect(() => r4.decodeInputRequest('elicitation/create', broken)).toThrow(ProtocolError);
    }
  });

  test('sends no lists to a 2025-06-18 server', () => {
    const answer = { action: 'accept', content: { many: ['a', 'b'], n: 1 } } as const;
    expect(r3.encodeInputResponse('elicitation/create', answer)).toEqual({
      action: 'accept',
      content: { many: 'a, b', n: 1 },
    });
    expect(r4.encodeInputResponse('elicitation/create', answer)).toEqual(answer);
  });
});

test('a roots response must be a list with uris', () => {
  expect(r1.decodeInputResponse('roots/list', { roots: [{ uri: 'file:///a' }] })).toEqual({
    roots: [{ uri: 'file:///a' }],
  });
  for (const broken of [{}, { roots: {} }, { roots: [{}] }])
    expect(() => r1.decodeInputResponse('roots/list', broken)).toThrow(LocalError);
});
