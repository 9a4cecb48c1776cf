import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LineWriter } from './line-writer.ts';
import type { JsonRpcMessage } from './messages.ts';
import { SerializedJson, textBlockOf } from './serialized-json.ts';

const note = (text: unknown): JsonRpcMessage => ({
  jsonrpc: '2.0',
  method: 'note',
  params: { text },
});

/** A stream that accepts a chunk only on request. */
function slowStream(highWaterMark = 64 * 1024) {
  const chunks: string[] = [];
  const dones: (() => void)[] = [];
  const output = new Writable({
    highWaterMark,
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      chunks.push(chunk);
      dones.push(done);
    },
  });
  return { output, chunks, takeOne: () => dones.shift()?.() };
}

function texts(written: string): unknown[] {
  return written
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { params: { text: unknown } }).params.text);
}

describe('LineWriter', () => {
  test('writes the messages of one turn together, including later microtasks', async () => {
    const { output, chunks } = slowStream();
    const writer = new LineWriter(output);
    await Promise.all([1, 2, 3].map(async (text) => writer.write(note(text))));
    await writer.write(note(4));
    expect(chunks).toEqual([]);
    await nextTurn();
    expect(chunks).toHaveLength(1);
    expect(texts(chunks[0]!)).toEqual([1, 2, 3, 4]);
  });

  test('passes the messages of a piece of work to the stream when it returns', () => {
    const { output, chunks } = slowStream();
    const writer = new LineWriter(output);
    writer.together(() => {
      for (const text of [1, 2, 3]) void writer.write(note(text));
      expect(chunks).toEqual([]);
    });
    expect(chunks).toHaveLength(1);
    expect(texts(chunks[0]!)).toEqual([1, 2, 3]);
  });

  test.each([
    ['uses the memory of a text again when the stream has copied it', true],
    ['leaves the memory of a text to a stream that may keep it', false],
  ])('%s', (_, copies) => {
    const dones: (() => void)[] = [];
    const output = new Writable({ writev: (_chunks, done) => void dones.push(done) });
    const writer = new LineWriter(output, copies);
    const answer = new SerializedJson([Buffer.from(JSON.stringify(['a'.repeat(40_000)]))]);
    void writer.write({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [textBlockOf(answer)], structuredContent: answer },
    });
    const { quoted } = answer;
    expect(answer.quoted).toBe(quoted);
    dones[0]?.();
    expect(answer.quoted === quoted).toBe(!copies);
  });

  test('keeps the order of small and large messages', async () => {
    const output = new PassThrough();
    const writer = new LineWriter(output);
    const sizes = [1, 20_000, 2, 70_000, 3, 4, 200_000, 5];
    for (const size of sizes) void writer.write(note('x'.repeat(size)));
    output.setEncoding('utf8');
    const chunks: string[] = [];
    output.on('data', (chunk: string) => chunks.push(chunk));
    await nextTurn();
    expect(texts(chunks.join('')).map((text) => String(text).length)).toEqual(sizes);
  });

  test('writes a repeated long text exactly as JSON.stringify does, and between other messages', async () => {
    const output = new PassThrough();
    const writer = new LineWriter(output);
    const text = `"ä\\\u0000\n😀`.repeat(10_000);
    const messages: JsonRpcMessage[] = [
      note('before'),
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [
            { type: 'text', text },
            { type: 'text', text: 'more' },
          ],
          structuredContent: { a: 1, content: text, z: [text] },
          isError: false,
        },
      },
      note('after'),
    ];
    for (const message of messages) void writer.write(message);
    writer.flush();
    output.end();
    // Compared here, because printing the difference of long texts is slow.
    expect(
      (await output.toArray()).join('') ===
        messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
    ).toBe(true);
  });

  test('serializes when called: later changes are not sent, and a failure affects no other message', async () => {
    const output = new PassThrough();
    const writer = new LineWriter(output);
    const params = { text: 'before' };
    const sent = writer.write({ jsonrpc: '2.0', method: 'note', params });
    params.text = 'after';
    await expect(writer.write(note(1n))).rejects.toThrow(TypeError);
    await sent;
    await nextTurn();
    expect(texts(String(output.read()))).toEqual(['before']);
  });

  test('makes all senders wait for one drain, however many there are', async () => {
    const { output, takeOne } = slowStream(10);
    const writer = new LineWriter(output);
    let taken = 0;
    const sends = Array.from({ length: 64 }, async (_none, index) => {
      await writer.write(note(index));
      taken += 1;
    });
    await nextTurn();
    expect(taken).toBe(0);
    expect(output.listenerCount('drain')).toBe(1);
    while (output.writableLength > 0) takeOne();
    await Promise.all(sends);
    expect(output.listenerCount('drain')).toBe(0);
  });

  test('releases waiting senders when the stream is destroyed, and then rejects', async () => {
    const { output } = slowStream(10);
    const writer = new LineWriter(output);
    const sending = writer.write(note(1));
    output.destroy();
    await sending;
    await expect(writer.write(note(2))).rejects.toThrow('The output stream is closed');
    await writer.emptied();
  });

  test('discards its messages when the stream ends before the turn does', async () => {
    const output = new PassThrough();
    const writer = new LineWriter(output);
    const sending = writer.write(note(1));
    output.end();
    await sending;
    await nextTurn();
    expect(output.read()).toBeNull();
  });

  test('is emptied only when the stream has passed everything on', async () => {
    const { output, chunks, takeOne } = slowStream();
    const writer = new LineWriter(output);
    void writer.write(note(1));
    let isEmptied = false;
    const emptied = writer.emptied().then(() => (isEmptied = true));
    expect(chunks).toHaveLength(1);
    await nextTurn();
    expect(isEmptied).toBe(false);
    while (output.writableLength > 0 || output.writableNeedDrain) takeOne();
    takeOne();
    await emptied;
  });

  test('is congested by responses only while more than 16 MiB of them wait', async () => {
    const { output, takeOne } = slowStream();
    const writer = new LineWriter(output);
    const big = 'x'.repeat(9 * 1024 * 1024);
    for (let index = 0; index < 3; index += 1) void writer.write(note(big));
    expect([writer.isCongested, writer.isCongestedByResponses]).toEqual([true, false]);
    for (let id = 0; id < 2; id += 1) void writer.write({ jsonrpc: '2.0', id, result: { big } });
    expect(writer.isCongestedByResponses).toBe(true);
    while (output.writableNeedDrain) {
      takeOne();
      await nextTurn();
    }
    expect(writer.isCongestedByResponses).toBe(false);
    void writer.write(note('small'));
    expect(writer.isCongestedByResponses).toBe(false);
  });

  test('is congested while more than 16 MiB wait', async () => {
    const { output, takeOne } = slowStream(40 * 1024 * 1024);
    const writer = new LineWriter(output);
    for (let index = 0; index < 16; index += 1) void writer.write(note('x'.repeat(1024 * 1024)));
    expect(writer.isCongested).toBe(true);
    const drained = once(output, 'finish');
    output.end();
    while (!output.writableFinished && output.writableLength > 0) {
      takeOne();
      await nextTurn();
    }
    await drained;
    expect(writer.isCongested).toBe(false);
  });
});
