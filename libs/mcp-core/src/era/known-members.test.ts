import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../jsonrpc/messages.ts';
import {
  knownCapabilities,
  knownImplementation,
  knownInputRequests,
  knownInstructions,
  knownInputRequest,
  knownTool,
} from './known-members.ts';

const bomb: JsonObject = { a: Array.from({ length: 10_000 }, () => ({})) };

describe('only members of the specification are kept', () => {
  test('of a tool', () => {
    const tool = {
      name: 't',
      title: 'T',
      description: 'd',
      inputSchema: { type: 'object', mine: 1 },
      outputSchema: {},
      annotations: { readOnlyHint: true },
      icons: [],
      _meta: { a: 1 },
    };
    expect(knownTool({ ...tool, bomb })).toEqual(tool);
    expect(knownTool({ ...tool, _meta: bomb, annotations: bomb })).toEqual({
      ...tool,
      _meta: undefined,
      annotations: undefined,
    });
  });

  test('of an input request', () => {
    const form = {
      mode: 'form',
      message: 'm',
      requestedSchema: { type: 'object' },
      _meta: { progressToken: 1 },
    };
    expect(knownInputRequest('elicitation/create', { ...form, bomb })).toEqual(form);
    expect(knownInputRequest('elicitation/create', { ...form, _meta: bomb })).toEqual({
      ...form,
      _meta: undefined,
    });
    expect(
      knownInputRequest('sampling/createMessage', { messages: [], maxTokens: 1, message: 'm' }),
    ).toEqual({ messages: [], maxTokens: 1 });
    expect(knownInputRequest('toString', { bomb })).toEqual({});
  });

  test('of the input requests of a round', () => {
    const request = {
      method: 'elicitation/create',
      params: { message: 'm', url: 'u', mode: 'url' },
    };
    expect(
      knownInputRequests({
        a: { ...request, bomb },
        b: { ...request, params: { ...request.params, bomb } },
        c: 1,
        d: { method: 'roots/list' },
      }),
    ).toEqual({ a: request, b: request, c: {}, d: { method: 'roots/list' } });
  });

  test('of capabilities', () => {
    const capabilities = {
      tools: { listChanged: true },
      resources: { subscribe: true },
      experimental: { mine: { a: 1 } },
      extensions: {},
    };
    expect(knownCapabilities({ ...capabilities, bomb })).toEqual(capabilities);
    expect(
      knownCapabilities({ tools: { listChanged: true, ...bomb }, experimental: bomb, logging: 1 }),
    ).toEqual({ tools: { listChanged: true }, experimental: {}, logging: {} });
  });

  test('of name and instructions, shortened for display', () => {
    const info = knownImplementation({
      name: 'n'.repeat(10_000_000),
      version: '1',
      title: 't',
      mine: 1,
      websiteUrl: 'u'.repeat(5000),
      icons: [bomb],
    } as never);
    expect(info).toEqual({
      name: `${'n'.repeat(200)}…`,
      version: '1',
      title: 't',
      websiteUrl: `${'u'.repeat(2000)}…`,
    });
    expect(knownInstructions('i'.repeat(1_000_000))).toHaveLength(32 * 1024 + 1);
    expect(knownInstructions(1)).toBeUndefined();
  });
});
