import type { JsonSchema } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { ModelCard } from '../ports/model-card.ts';
import { buildRequest as anthropicRequest } from './anthropic/request.ts';
import { modelCard } from './catalogue/model-cards.ts';
import { buildRequest as chatRequest } from './openai-chat/request.ts';
import { buildRequest as responsesRequest } from './openai-responses/request.ts';
import { outputFormat } from './output-schema.ts';
import { agentRequest, userText } from './testing/collect.ts';

const STRICT = {
  type: 'object',
  properties: {
    a: { type: 'string' },
    b: {
      type: 'array',
      items: { type: 'object', properties: { c: { type: 'integer' } }, required: ['c'] },
    },
  },
  required: ['a', 'b'],
};

test('objects are closed at every depth in a copy of the schema', () => {
  const before = JSON.stringify(STRICT);
  expect(outputFormat(STRICT)).toEqual({
    isStrict: true,
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: 'string' },
        b: {
          type: 'array',
          items: {
            type: 'object',
            properties: { c: { type: 'integer' } },
            required: ['c'],
            additionalProperties: false,
          },
        },
      },
      required: ['a', 'b'],
    },
  });
  expect(JSON.stringify(STRICT)).toBe(before);
});

test.each<[string, JsonSchema, object]>([
  [
    'keywords that providers do not know are left out',
    {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^x', minLength: 3, format: 'regex' } },
      required: ['a'],
    },
    { a: { type: 'string' } },
  ],
  [
    'known formats stay',
    { type: 'object', properties: { a: { type: 'string', format: 'date' } }, required: ['a'] },
    { a: { type: 'string', format: 'date' } },
  ],
  [
    'oneOf becomes anyOf',
    {
      type: 'object',
      properties: { a: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
      required: ['a'],
    },
    { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  ],
])('%s', (_what, schema, properties) => {
  expect(outputFormat(schema)?.schema['properties']).toEqual(properties);
});

test('optional members and array bounds prevent strict mode', () => {
  expect(outputFormat({ type: 'object', properties: { a: {} } })?.isStrict).toBe(false);
  expect(
    outputFormat({
      type: 'object',
      properties: { a: { type: 'array', items: {}, minItems: 1 } },
      required: ['a'],
    })?.isStrict,
  ).toBe(false);
  expect(
    outputFormat({
      type: 'object',
      properties: { a: { type: 'array', items: {}, minItems: 7 } },
      required: ['a'],
    })?.isStrict,
  ).toBe(true);
});

test('a schema with open objects has no output format', () => {
  expect(
    outputFormat({
      type: 'object',
      properties: { a: { type: 'object', additionalProperties: { type: 'number' } } },
    }),
  ).toBeUndefined();
  expect(
    outputFormat({ type: 'object', properties: { a: { anyOf: [{ type: 'object' }] } } }),
  ).toBeUndefined();
});

describe.each([true, false])('at the vendor: %s', (isVendor) => {
  const request = agentRequest([userText('go')], { outputSchema: STRICT });
  const endpoint = {
    provider: 'x',
    vendor: 'X',
    baseUrl: 'http://x',
    isVendor,
    keyVariable: 'X',
    path: '/',
    apiKey: 'k',
  };
  const card = (id: string, wire: 'responses' | 'chat' | 'messages'): ModelCard =>
    modelCard(
      {
        provider: wire === 'messages' ? 'anthropic' : 'openai',
        wire,
        baseUrl: undefined,
        model: id,
        apiKey: 'k',
        scenario: undefined,
      },
      id,
    );

  test('each API receives the schema in its own form, but a compatible server does not', () => {
    const schema = outputFormat(STRICT)?.schema;
    expect(
      responsesRequest(request, card('gpt-6.1-sol', 'responses'), endpoint).params.text,
    ).toEqual(
      isVendor
        ? { format: { type: 'json_schema', name: 'answer', schema, strict: true } }
        : undefined,
    );
    expect(
      chatRequest(request, card('gpt-6.1-sol', 'chat'), endpoint).params.response_format,
    ).toEqual(
      isVendor
        ? { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
        : undefined,
    );
    expect(
      anthropicRequest(request, { card: card('claude-sonnet-5-5', 'messages'), endpoint }).params
        .output_config,
    ).toEqual(isVendor ? { format: { type: 'json_schema', schema } } : undefined);
  });

  test('without a schema the request has no output format', () => {
    expect(
      responsesRequest(agentRequest([userText('go')]), card('gpt-6.1-sol', 'responses'), endpoint)
        .params,
    ).not.toHaveProperty('text');
  });
});
