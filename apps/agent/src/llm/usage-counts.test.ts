import { describe, expect, test } from 'vitest';
import { agentRequest, collect, finishOf, userText } from './testing/collect.ts';
import { FAKE_USAGE, startFakeServer } from './testing/fake-wire.ts';
import { connect, WIRES } from './testing/provider-kinds.ts';
import { reportedUsage, tokenCount } from './usage-counts.ts';

const REQUEST = agentRequest([userText('Go')]);
const EVERY_COUNT = /"(\w*tokens)":\d+/g;
const OUTPUT_COUNT = /"(completion_tokens|output_tokens)":\d+/g;

describe.each(WIRES)('$api', (kind) => {
  /** Returns the usage of an answer with replaced counts. */
  async function usageWith(pattern: RegExp, count: string) {
    await using server = await startFakeServer(kind.wire);
    const events = kind.wire.encode(
      { text: 'Hello there, whoever you are.' },
      { model: kind.model, messages: [] },
    );
    server.replies.push({
      events: events.map((event) => event.replaceAll(pattern, `"$1":${count}`)),
      end: 'clean',
    });
    const { usage } = finishOf(await collect(connect(kind, server), REQUEST));
    for (const tokens of [
      usage.input,
      usage.cacheRead,
      usage.cacheWrite,
      usage.output,
      usage.reasoning,
    ])
      expect(tokens).toSatisfy((n: number) => Number.isSafeInteger(n) && n >= 0);
    expect(usage.cacheRead + usage.cacheWrite).toBeLessThanOrEqual(usage.input);
    expect(usage.reasoning).toBeLessThanOrEqual(usage.output);
    return usage;
  }

  test.each(['-1', '-1e15', 'null', '"many"', '"-7"', 'true', '{}', '[7]', '1e999'])(
    'counts of %s are estimated instead',
    async (count) => {
      const usage = await usageWith(EVERY_COUNT, count);
      expect(usage).toMatchObject({ source: 'estimated', output: 8 });
      expect(usage.input).toBeGreaterThan(0);
    },
  );

  test.each([
    ['"7"', 7],
    ['1.5', 2],
    ['1e30', 1_000_000_000],
  ])('counts of %s become whole numbers', async (count, expected) => {
    const usage = await usageWith(OUTPUT_COUNT, count);
    expect(usage).toMatchObject({
      source: 'reported',
      input: FAKE_USAGE.uncached + FAKE_USAGE.cacheRead + FAKE_USAGE.cacheWrite,
      output: expected,
    });
  });

  test('missing output tokens are estimated, and the other counts are kept', async () => {
    expect(await usageWith(OUTPUT_COUNT, 'null')).toMatchObject({
      source: 'partial',
      input: FAKE_USAGE.uncached + FAKE_USAGE.cacheRead + FAKE_USAGE.cacheWrite,
      output: 8,
    });
  });
});

test('a count is an integer from 0 to a billion, or absent', () => {
  expect([0, 7, 1.2, 2e9, '7', '007'].map(tokenCount)).toEqual([0, 7, 2, 1e9, 7, 7]);
  for (const value of [
    -1,
    Number.NaN,
    Infinity,
    '',
    ' ',
    '1e3',
    '-1',
    null,
    undefined,
    true,
    {},
    [3],
  ])
    expect(tokenCount(value)).toBeUndefined();
});

test('parts of a count are at most the total, so that no cost is negative', () => {
  expect(
    reportedUsage({ input: 10, cacheRead: 8, cacheWrite: 8, output: 3, reasoning: 9 }, 0),
  ).toEqual({
    input: 10,
    cacheRead: 8,
    cacheWrite: 2,
    output: 3,
    reasoning: 3,
    source: 'reported',
  });
});
