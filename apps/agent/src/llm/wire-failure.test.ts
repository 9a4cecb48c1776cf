import { expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { llmError, retryAfterOf } from './wire-failure.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT' }, 90_000],
  [{ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-3' }, undefined],
  [{}, undefined],
])('%j means a retry delay of %s ms', (headers, expected) => {
  expect(
    retryAfterOf(
      (name) => new Headers(headers as { [name: string]: string }).get(name) ?? undefined,
      NOW,
    ),
  ).toBe(expected);
});

const endpoint: Endpoint = {
  provider: 'openai-chat',
  vendor: 'OpenAI',
  isVendor: false,
  baseUrl: 'http://127.0.0.1:8080/v1',
  path: '/chat/completions',
  apiKey: '',
  keyVariable: 'OPENAI_API_KEY',
};

test.each([
  [
    'llama.cpp',
    400,
    'exceed_context_size_error',
    'request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it',
  ],
  [
    'an earlier llama.cpp',
    500,
    'exceed_context_size_error',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
  ],
  [
    'Anthropic',
    400,
    'invalid_request_error',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
  ],
  [
    'vLLM',
    400,
    'BadRequestError',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
  ],
])('a conversation that is too long for %s is not sent again', (_, status, code, text) => {
  expect(llmError({ status, codes: [code], text }, endpoint)).toMatchObject({
    kind: 'context',
    retryable: false,
  });
});
