import { describe, expect, test } from 'vitest';
import { encodeFrame, FrameDecoder, type Frame } from './frames.ts';
import { decodeMessage, encodeMessage } from './message-frames.ts';

/** Decodes bytes that arrive in chunks of this length. */
function decode(bytes: Buffer, chunkBytes: number): Frame[] {
  const frames: Frame[] = [];
  const decoder = new FrameDecoder((frame) => frames.push(frame));
  for (let start = 0; start < bytes.length; start += chunkBytes)
    decoder.push(bytes.subarray(start, start + chunkBytes));
  return frames;
}

describe('frames', () => {
  const sent = [
    { header: { kind: 'ä', list: [1] }, body: [] },
    { header: null, body: [Buffer.from('one'), Buffer.from('two')] },
    { header: {}, body: [Buffer.alloc(300, 7)] },
  ];
  const bytes = Buffer.concat(sent.flatMap(({ header, body }) => encodeFrame(header, body)));

  test.each([1, 2, 3, 7, 8, 9, 64, 1000])('arrive in chunks of %i bytes', (chunkBytes) => {
    const received = decode(bytes, chunkBytes).map(({ header, body }) => ({
      header,
      body: Buffer.concat(body),
    }));
    expect(received).toEqual(
      sent.map(({ header, body }) => ({ header, body: Buffer.concat(body) })),
    );
  });

  test('that are not JSON or too long are an error', () => {
    const text = Buffer.from('not JSON');
    const start = Buffer.alloc(8);
    start.writeUInt32LE(text.length);
    expect(() => decode(Buffer.concat([start, text]), 100)).toThrow(SyntaxError);
    expect(() => decode(Buffer.alloc(8, 0xff), 8)).toThrow('at most 268435456 are read');
  });
});

describe('the memory of a body', () => {
  const output = { rows: 1, body: [Buffer.alloc(5000, 'a')] };
  const reply = Buffer.concat(encodeMessage({ kind: 'result', id: 1, output }));

  /** Whether the body of each reply in these chunks can be freed; frees those that can. */
  function freed(chunks: readonly Buffer[]): boolean[] {
    const frames: Frame[] = [];
    const decoder = new FrameDecoder((frame) => frames.push(frame));
    // A chunk of a pipe has memory of its own.
    for (const chunk of chunks) decoder.push(Buffer.from(Uint8Array.from(chunk).buffer));
    return frames.map((frame) => {
      const { output: read } = decodeMessage(frame) as { output: typeof output & ReleasedOutput };
      expect(Buffer.concat(read.body)).toEqual(output.body[0]);
      read.release?.();
      expect(read.body.every(({ byteLength }) => byteLength === 0)).toBe('release' in read);
      return 'release' in read;
    });
  }

  test('can be freed when no other frame is in it', () => {
    expect(freed([reply, reply])).toEqual([true, true]);
    expect(freed([reply.subarray(0, 9), reply.subarray(9, 3000), reply.subarray(3000)])).toEqual([
      true,
    ]);
  });

  test('stays when it is shared with another frame', () => {
    expect(freed([Buffer.concat([reply, reply]), reply])).toEqual([false, false, true]);
    const both = Buffer.concat([reply, reply]);
    expect(freed([both.subarray(0, 6000), both.subarray(6000), reply])).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('stays when it belongs to a pool', () => {
    const frames: Frame[] = [];
    const pooled = Buffer.concat([Buffer.alloc(1), reply]).subarray(1);
    new FrameDecoder((frame) => frames.push(frame)).push(pooled);
    expect(frames.map(({ ownsMemory }) => ownsMemory)).toEqual([false]);
  });
});

interface ReleasedOutput {
  readonly release?: () => void;
}

test.each([
  { kind: 'chunk', id: 1, chunk: 'text ä\u0000"' } as const,
  { kind: 'chunk', id: 1, chunk: '' } as const,
  { kind: 'result', id: 2, output: null } as const,
  { kind: 'result', id: 2, output: { rows: 1, body: [Buffer.from('[1]')] } } as const,
  { kind: 'request', id: 3, operation: 'x', input: { query: 'SELECT 1' } } as const,
])('the message %j is the same after its frame', (message) => {
  const [frame] = decode(Buffer.concat(encodeMessage(message)), 1000);
  expect(frame && decodeMessage(frame)).toEqual(message);
});
