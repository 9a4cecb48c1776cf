import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from './versions.ts';
import { ErrorCode, ProtocolError, ResourceNotFoundError } from '../protocol/errors.ts';
import type { Codec } from './codec.ts';
import { codecOf } from './codecs.ts';

const serverInfo = { name: 'server', version: '1' };

function codec(version: ProtocolVersion): Codec {
  return codecOf(version);
}

const legacyVersions = PROTOCOL_VERSIONS.slice(1);

describe('a tool result', () => {
  const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
  const link = {
    type: 'resource_link',
    uri: 'file:///a.txt',
    name: 'a.txt',
    description: 'A file',
  };
  const text = { type: 'text', text: 'hi' };

  test('has text instead of audio and links in 2024-11-05', () => {
    const { content } = codec('2024-11-05').encodeResult(
      'tools/call',
      { content: [text, audio, link] },
      { serverInfo },
    );
    expect(content).toEqual([
      text,
      {
        type: 'text',
        text: "[audio, audio/wav, 3 bytes: this client's protocol version cannot receive audio]",
      },
      { type: 'text', text: 'Resource a.txt <file:///a.txt>: A file' },
    ]);
  });

  test('keeps audio from 2025-03-26 on and links from 2025-06-18 on', () => {
    const types = PROTOCOL_VERSIONS.map((version) => {
      const { content } = codec(version).encodeResult(
        'tools/call',
        { content: [audio, link] },
        { serverInfo },
      );
      return (content as { type: string }[]).map((block) => block.type).join();
    });
    expect(types).toEqual([
      'audio,resource_link',
      'audio,resource_link',
      'audio,resource_link',
      'audio,text',
      'text,text',
    ]);
  });

  test.each([[null], [0], [false], [''], [[1]], ['x']])(
    'carries the structured value %j as each revision can',
    (value) => {
      const structured = PROTOCOL_VERSIONS.map((version) =>
        codec(version).encodeResult(
          'tools/call',
          { content: [], structuredContent: value },
          { serverInfo },
        ),
      );
      expect(structured[0]).toHaveProperty('structuredContent', value);
      expect(structured[1]).toHaveProperty('structuredContent', { result: value });
      expect(structured[2]).toHaveProperty('structuredContent', { result: value });
      expect(structured[3]).not.toHaveProperty('structuredContent');
      expect(structured[4]).not.toHaveProperty('structuredContent');
    },
  );

  test('wraps an object when the published schema is wrapped', () => {
    const outputSchema = { anyOf: [{ type: 'object' }, { type: 'null' }] };
    const tool = { name: 't', inputSchema: { type: 'object' }, outputSchema };
    const { tools } = codec('2025-11-25').encodeResult(
      'tools/list',
      { tools: [tool] },
      { serverInfo },
    );
    expect(tools).toEqual([
      {
        name: 't',
        inputSchema: { type: 'object' },
        outputSchema: {
          type: 'object',
          properties: { result: outputSchema },
          required: ['result'],
        },
      },
    ]);
    const result = codec('2025-11-25').encodeResult(
      'tools/call',
      { content: [], structuredContent: { a: 1 } },
      { serverInfo, outputSchema },
    );
    expect(result.structuredContent).toEqual({ result: { a: 1 } });
  });

  test('has no structuredContent member when the tool returned none', () => {
    for (const version of PROTOCOL_VERSIONS)
      expect(
        codec(version).encodeResult('tools/call', { content: [] }, { serverInfo }),
      ).not.toHaveProperty('structuredContent');
  });
});

describe('a tool list', () => {
  test('publishes an output schema only where results can be structured', () => {
    const tool = {
      name: 't',
      title: 'T',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
    };
    const schemas = PROTOCOL_VERSIONS.map((version) => {
      const { tools } = codec(version).encodeResult(
        'tools/list',
        { tools: [tool] },
        { serverInfo },
      );
      return 'outputSchema' in (tools as object[])[0]!;
    });
    expect(schemas).toEqual([true, true, true, false, false]);
  });
});

describe('the members of 2026-07-28', () => {
  test('are on every result, the cache hints on the six cacheable ones', () => {
    const modern = codec('2026-07-28');
    expect(
      modern.encodeResult('subscriptions/listen', { _meta: { mine: 1 } }, { serverInfo }),
    ).toEqual({
      resultType: 'complete',
      _meta: { mine: 1, 'io.modelcontextprotocol/serverInfo': serverInfo },
    });
    expect(modern.encodeResult('resources/read', { contents: [] }, { serverInfo })).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(
      modern.encodeResult(
        'resources/list',
        { resources: [], ttlMs: 5, cacheScope: 'public' },
        { serverInfo },
      ),
    ).toMatchObject({ ttlMs: 5, cacheScope: 'public' });
    expect(modern.encodeResult('tools/call', { content: [] }, { serverInfo })).not.toHaveProperty(
      'ttlMs',
    );
  });

  test('are on no legacy result', () => {
    for (const version of legacyVersions) {
      expect(
        codec(version).encodeResult(
          'resources/list',
          { resources: [], ttlMs: 5, cacheScope: 'public' },
          { serverInfo },
        ),
      ).toEqual({ resources: [] });
    }
  });
});

describe('an error', () => {
  test('for a missing resource has the code of the revision', () => {
    const codes = PROTOCOL_VERSIONS.map((version) =>
      codec(version).encodeError(new ResourceNotFoundError('file:///x')),
    );
    expect(codes.map(({ code }) => code)).toEqual([-32602, -32002, -32002, -32002, -32002]);
    expect(codes.every(({ data }) => (data as { uri: string }).uri === 'file:///x')).toBe(true);
  });

  test('for a missing client capability has its own code only in 2026-07-28', () => {
    const error = new ProtocolError(ErrorCode.missingClientCapability, 'no', {
      data: { requiredCapabilities: { roots: {} } },
    });
    expect(codec('2026-07-28').encodeError(error)).toEqual({
      code: -32021,
      message: 'no',
      data: { requiredCapabilities: { roots: {} } },
    });
    expect(legacyVersions.map((version) => codec(version).encodeError(error).code)).toEqual([
      -32602, -32602, -32602, -32602,
    ]);
  });

  test('never has a code that 2026-07-28 forbids', () => {
    const sent = (code: number): number =>
      codec('2026-07-28').encodeError(new ProtocolError(code, 'x')).code;
    expect([-32002, -32023, -32042, -32099].map(sent)).toEqual([-32602, -32603, -32603, -32603]);
    expect(
      [-32000, -32001, -32003, -32019, -32020, -32021, -32022, -32100, -1, 7].map(sent),
    ).toEqual([-32000, -32001, -32003, -32019, -32020, -32021, -32022, -32100, -1, 7]);
    expect(codec('2026-07-28').encodeError(new ProtocolError(7, 'x'))).toEqual({
      code: 7,
      message: 'x',
    });
  });
});

describe('decodeResult', () => {
  const modern = codec('2026-07-28');

  test('reads the times of a task only when they are strings', () => {
    const odd = { toString: 1, valueOf: 1 };
    const decoded = modern.decodeResult('tools/call', {
      resultType: 'task',
      taskId: 't',
      status: 'working',
      createdAt: odd,
      lastUpdatedAt: '2026-01-01',
    });
    expect(decoded).toMatchObject({
      kind: 'task',
      task: { taskId: 't', createdAt: '', lastUpdatedAt: '2026-01-01' },
    });
  });

  test('reads an absent resultType as complete and refuses an unknown one', () => {
    expect(modern.decodeResult('ping', { a: 1 })).toEqual({ kind: 'complete', result: { a: 1 } });
    expect(modern.decodeResult('tools/call', { resultType: 'task', content: [] })).toMatchObject({
      kind: 'invalid',
    });
  });

  test('recognizes input_required', () => {
    expect(
      modern.decodeResult('tools/call', { resultType: 'input_required', requestState: 's' }),
    ).toEqual({ kind: 'input-required', inputRequests: {}, requestState: 's' });
    expect(modern.decodeResult('tools/call', { resultType: 'input_required' })).toMatchObject({
      kind: 'invalid',
    });
    expect(
      modern.decodeResult('tools/call', { resultType: 'input_required', requestState: 4 }),
    ).toMatchObject({ kind: 'invalid' });
  });

  test('ignores resultType in the legacy era', () => {
    expect(
      codec('2025-11-25').decodeResult('tools/call', { resultType: 'odd', content: [] }),
    ).toMatchObject({ kind: 'complete' });
  });

  test.each([
    ['tools/list', { tools: 'none' }],
    ['tools/list', { tools: [7] }],
    ['tools/list', {}],
    ['tools/call', {}],
    ['resources/read', { contents: {} }],
    ['tools/list', { tools: [], nextCursor: 4 }],
  ])('refuses a %s result %j', (method, result) => {
    expect(modern.decodeResult(method, result)).toMatchObject({ kind: 'invalid' });
  });

  test('reads a null cursor as the end of the list', () => {
    expect(modern.decodeResult('tools/list', { tools: [], nextCursor: null })).toEqual({
      kind: 'complete',
      result: { tools: [] },
    });
  });

  test('accepts an empty cursor and a structured result without content', () => {
    expect(modern.decodeResult('tools/list', { tools: [], nextCursor: '' })).toMatchObject({
      kind: 'complete',
    });
    expect(modern.decodeResult('tools/call', { structuredContent: null })).toEqual({
      kind: 'complete',
      result: { structuredContent: null, content: [] },
    });
  });
});

describe('encodeRequestParams', () => {
  const identity = {
    info: { name: 'c', version: '2' },
    capabilities: { sampling: {} },
    logLevel: 'error',
  } as const;

  test('adds the identity to the _meta of the caller in 2026-07-28', () => {
    expect(
      codec('2026-07-28').encodeRequestParams({ name: 't', _meta: { progressToken: 3 } }, identity),
    ).toEqual({
      name: 't',
      _meta: {
        progressToken: 3,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': identity.info,
        'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
        'io.modelcontextprotocol/logLevel': 'error',
      },
    });
  });

  test('is the identity function in the legacy era', () => {
    for (const version of legacyVersions) {
      expect(codec(version).encodeRequestParams({ name: 't' }, identity)).toEqual({ name: 't' });
      expect(codec(version).encodeRequestParams(undefined, identity)).toBeUndefined();
    }
  });
});
