import type { CallToolResult, JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { ARTIFACT_READ, artifactIdOf, MAX_ARTIFACT_BYTES, MAX_INLINE_BYTES } from './artifacts.ts';
import { wholeCharacters } from '../text/head-and-tail.ts';
import type { Script } from '../testing/fake-llm.ts';
import { READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const LINES = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');

interface Opened {
  readonly service: Service;
  readonly runId: string;
  readonly artifactId: string;
}

/** A run whose first call has this result, and whose model then reads with these arguments, one turn each. */
async function open(
  result: CallToolResult,
  reads: readonly ((artifactId: string) => JsonObject)[] = [],
): Promise<Opened> {
  const seen: string[] = [];
  const script: Script = ({ messages }, index) => {
    const id = /artifact_read \{\\+"id\\+":\\+"([\w-]+)/.exec(
      JSON.stringify(messages[2] ?? ''),
    )?.[1];
    if (id !== undefined) seen.push(id);
    const read = reads[index - 1];
    if (index === 0) return { calls: [{ name: 'r__big' }] };
    return read === undefined
      ? { text: 'done' }
      : { calls: [{ name: ARTIFACT_READ, input: read(id ?? '') }] };
  };
  const service = await openService({
    script,
    tools: {
      r__big: { annotations: READ_ONLY, call: () => Promise.resolve({ type: 'result', result }) },
    },
  });
  const { id: runId } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(runId);
  return { service, runId, artifactId: seen[0] ?? '' };
}

const textOf = (result: CallToolResult | undefined): string =>
  (result?.content ?? [])
    .map((block) => (block.type === 'text' ? block.text : `<${block.type}>`))
    .join('|');
const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

describe('a long result', () => {
  test('is kept as an artifact; the call and the model get its beginning and end, and a hint how to read the rest', async () => {
    const { service, runId, artifactId } = await open(text(LINES));
    expect(await service.read.artifact(artifactId)).toMatchObject({
      runId,
      callId: (await service.call(runId)).id,
      text: LINES,
      bytes: LINES.length,
      originalBytes: LINES.length,
    });
    const { result } = await service.call(runId);
    expect(artifactIdOf(result!)).toBe(artifactId);
    expect(textOf(result)).toMatch(
      /^line 0\n[^…]+\n\[… \d+ of 208889 bytes left out here\. All of it is the artifact [\w-]+: read on with artifact_read \{"id":"[\w-]+","offset":12288\} …\]\n[^…]+line 19999$/,
    );
    expect(Buffer.byteLength(textOf(result))).toBeLessThan(17_000);
    expect(service.llm.requests[1]!.messages[2]!.content[0]).toMatchObject({
      type: 'tool_result',
      content: result!.content,
    });
  });

  test('at the limit is unchanged', async () => {
    const result = text('x'.repeat(MAX_INLINE_BYTES));
    const { service, runId } = await open(result);
    expect((await service.call(runId)).result).toEqual(result);
  });

  test('over the artifact limit is truncated with a note', async () => {
    const { service, runId, artifactId } = await open(text(`${'€'.repeat(1_398_102)}END`), [
      (id) => ({ id, offset: MAX_ARTIFACT_BYTES - 30 }),
    ]);
    const artifact = await service.read.artifact(artifactId);
    expect([artifact!.bytes, artifact!.originalBytes, artifact!.text.endsWith('€')]).toEqual([
      MAX_ARTIFACT_BYTES - 1,
      MAX_ARTIFACT_BYTES + 5,
      true,
    ]);
    expect(textOf((await service.call(runId)).result)).toContain(
      `The result had ${MAX_ARTIFACT_BYTES + 5} bytes; what came after the first ${MAX_ARTIFACT_BYTES - 1} was not kept.`,
    );
    expect(textOf((await service.call(runId, 1)).result)).toContain(
      `this is the end of what was kept of ${MAX_ARTIFACT_BYTES + 5} bytes]`,
    );
  });

  test('of only structured content is kept as text in lines, and other content is unchanged', async () => {
    const structuredContent = { rows: Array.from({ length: 9000 }, (_, row) => ({ row })) };
    const image = { type: 'image', data: 'aaaa', mimeType: 'image/png' } as const;
    const { service, runId, artifactId } = await open({ content: [image], structuredContent });
    expect(JSON.parse((await service.read.artifact(artifactId))!.text)).toEqual(structuredContent);
    const { result } = await service.call(runId);
    expect([result!.structuredContent, result!.content[1]]).toEqual([undefined, image]);
  });

  test('that is an error stays an error', async () => {
    const { service, runId } = await open({ ...text(LINES), isError: true });
    expect(await service.call(runId)).toMatchObject({ state: 'failed', result: { isError: true } });
  });

  test('is deleted with its run', async () => {
    const { service, runId, artifactId } = await open(text(LINES));
    await service.engine.deleteRun(runId);
    expect(await service.read.artifact(artifactId)).toBeUndefined();
  });
});

describe('reading an artifact', () => {
  test.each<[string, JsonObject, string]>([
    [
      'from the start by default',
      {},
      `[bytes 0 to 16384 of 208889; continue with offset 16384]\n${LINES.slice(0, 16_384)}`,
    ],
    [
      'by bytes',
      { offset: 100, limit: 50 },
      `[bytes 100 to 150 of 208889; continue with offset 150]\n${LINES.slice(100, 150)}`,
    ],
    [
      'by bytes up to a bound',
      { offset: 0, limit: 1_000_000 },
      `[bytes 0 to 32768 of 208889; continue with offset 32768]\n${LINES.slice(0, 32_768)}`,
    ],
    [
      'by bytes to the end',
      { offset: 208_880, limit: 50 },
      '[bytes 208880 to 208889 of 208889; this is the end]\nine 19999',
    ],
    [
      'by lines',
      { offset: 3, limit: 2, unit: 'lines' },
      '[lines 3 to 5 of 20000; continue with offset 5]\nline 3\nline 4',
    ],
    [
      'by lines to the end',
      { offset: 19_999, unit: 'lines' },
      '[lines 19999 to 20000 of 20000; this is the end]\nline 19999',
    ],
  ])('%s', async (_name, args, expected) => {
    const { service, runId } = await open(text(LINES), [(id) => ({ id, ...args })]);
    const call = await service.call(runId, 1);
    expect(call).toMatchObject({
      wireName: ARTIFACT_READ,
      server: '',
      state: 'succeeded',
      attempt: 0,
    });
    expect(textOf(call.result)).toBe(expected);
    expect(service.registry.sent).toHaveLength(1);
    expect(await service.read.inboxItems({ runId })).toEqual([]);
  });

  test.each<[string, (id: string) => JsonObject, RegExp]>([
    ['without an id', () => ({}), /^id: must be/],
    ['that does not exist', () => ({ id: 'nothing' }), /^There is no artifact "nothing"/],
    ['before its beginning', (id) => ({ id, offset: -1 }), /^offset: must be a whole number/],
    ['after its end', (id) => ({ id, offset: 208_889 }), /^offset: the artifact has 208889 bytes/],
    [
      'after its last line',
      (id) => ({ id, offset: 20_000, unit: 'lines' }),
      /^offset: the artifact has 20000 lines/,
    ],
    ['of no length', (id) => ({ id, limit: 0 }), /^limit: must be a whole number, 1 or more/],
    ['of half a byte', (id) => ({ id, limit: 1.5 }), /^limit: /],
    ['by pages', (id) => ({ id, unit: 'pages' }), /^unit: must be "bytes" or "lines"/],
    ['with a wrong name', (id) => ({ id, from: 1 }), /^from: there is no such argument/],
  ])('%s fails with a text for the model', async (_name, args, message) => {
    const { service, runId } = await open(text(LINES), [args]);
    const call = await service.call(runId, 1);
    expect([call.state, call.result?.isError]).toEqual(['failed', true]);
    expect(textOf(call.result)).toMatch(message);
  });

  test('in parts of any size returns every character once', async () => {
    const wide = '€𝄞é'.repeat(8000);
    const pieces: string[] = [];
    const script: Script = ({ messages }, index) => {
      if (index === 0) return { calls: [{ name: 'r__big' }] };
      const last = messages.at(-1)!.content[0];
      const result = last?.type === 'tool_result' ? textOf({ content: [...last.content] }) : '';
      const piece =
        /^\[bytes \d+ to \d+ of 72000(?:; continue with offset (\d+)|; this is the end)\]\n(.*)$/s.exec(
          result,
        );
      if (piece !== null) pieces.push(piece[2]!);
      if (piece !== null && piece[1] === undefined) return { text: 'done' };
      const id = /artifact ([\w-]+):/.exec(JSON.stringify(messages[2]))![1];
      return {
        calls: [
          {
            name: ARTIFACT_READ,
            input: { id, offset: Number(piece?.[1] ?? 0), limit: 7001 + index },
          },
        ],
      };
    };
    const service = await openService({
      script,
      tools: {
        r__big: {
          annotations: READ_ONLY,
          call: () => Promise.resolve({ type: 'result', result: text(wide) }),
        },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect((await service.settled(id)).status).toBe('completed');
    expect(pieces.length).toBeGreaterThan(8);
    expect(pieces.join('')).toBe(wide);
  });

  test('a line that is too long has its byte offset', async () => {
    const { service, runId } = await open(text(`short\n${'x'.repeat(100_000)}`), [
      (id) => ({ id, unit: 'lines', offset: 1 }),
      (id) => ({ id, offset: 6, limit: 10 }),
    ]);
    expect(textOf((await service.call(runId, 1)).result)).toBe(
      'Line 1 alone is longer than 32768 bytes: read it in bytes. It begins at offset 6.',
    );
    expect(textOf((await service.call(runId, 2)).result)).toMatch(/\nx{10}$/);
  });

  test('is refused in an unrelated conversation, but allowed in the same thread and in forks', async () => {
    const script: Script = ({ messages }) => {
      const prompt = messages
        .filter(({ role }) => role === 'user')
        .at(-1)
        ?.content.at(-1);
      if (prompt?.type !== 'text') return { text: 'done' };
      return {
        calls: [
          prompt.text === 'big'
            ? { name: 'r__big' }
            : { name: ARTIFACT_READ, input: { id: prompt.text } },
        ],
      };
    };
    const service = await openService({
      script,
      tools: {
        r__big: {
          annotations: READ_ONLY,
          call: () => Promise.resolve({ type: 'result', result: text(LINES) }),
        },
      },
    });
    await service.store.write({}, (sql) =>
      sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
    );
    const { id: first } = await service.engine.createRun({ prompt: 'big', threadId: 't1' });
    await service.settled(first);
    const artifactId = artifactIdOf((await service.call(first)).result!)!;
    const inThread = await service.engine.createRun({ prompt: artifactId, threadId: 't1' });
    const forked = await service.engine.forkRun(first, { prompt: artifactId });
    const forkedAgain = await service
      .settled(forked.id)
      .then(() => service.engine.forkRun(forked.id, { prompt: artifactId }));
    const other = await service.engine.createRun({ prompt: artifactId });
    const states = [];
    for (const { id } of [inThread, forked, forkedAgain, other]) {
      await service.settled(id);
      states.push((await service.call(id)).state);
    }
    expect(states).toEqual(['succeeded', 'succeeded', 'succeeded', 'failed']);
  });
});

test.each([
  ['€€', 1, 6, '€'],
  ['€€', 1, 5, ''],
  ['€€', 1, 3, ''],
  ['a€b', 0, 2, 'a'],
  ['𝄞', 0, 4, '𝄞'],
  ['𝄞', 0, 3, ''],
  ['a\uFFFDb', 0, 5, 'a\uFFFDb'],
  ['', 0, 0, ''],
])('the whole characters of %j from %d to %d are %j', (whole, start, end, expected) => {
  expect(wholeCharacters(Buffer.from(whole).subarray(start, end))).toBe(expected);
});
