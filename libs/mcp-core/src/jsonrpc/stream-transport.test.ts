import { PassThrough, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StreamTransport } from './stream-transport.ts';
import type { JsonRpcMessage, RequestId } from './messages.ts';

function open(options: { input?: PassThrough; output?: Writable } = {}) {
  const input = options.input ?? new PassThrough();
  const output = options.output ?? new PassThrough();
  const transport = new StreamTransport({ input, output, maxLineBytes: 1000 });
  const messages: unknown[] = [];
  const ends: (Error | undefined)[] = [];
  const closed = Promise.withResolvers<undefined>();
  void transport.start({
    message: (value) => messages.push(value),
    unreadable: () => undefined,
    closed: (error) => {
      ends.push(error);
      closed.resolve(undefined);
    },
  });
  return { input, output, transport, messages, ends, closed: closed.promise };
}

const notification = (method: string): JsonRpcMessage => ({ jsonrpc: '2.0', method });

describe('StreamTransport', () => {
  test('delivers lines and reports the end of the input once, last', async () => {
    const { input, messages, ends, closed } = open();
    input.end('{"a":1}\n{"b":2}');
    await closed;
    expect(messages).toEqual([{ a: 1 }, { b: 2 }]);
    expect(ends).toEqual([undefined]);
  });

  test('writes one message per line, in call order', async () => {
    const output = new PassThrough();
    const { transport } = open({ output });
    await Promise.all([transport.send(notification('a\nb')), transport.send(notification('c'))]);
    await new Promise(setImmediate);
    expect(String(output.read())).toBe(
      '{"jsonrpc":"2.0","method":"a\\nb"}\n{"jsonrpc":"2.0","method":"c"}\n',
    );
  });

  test('makes senders wait while the reader does not read', async () => {
    const output = new PassThrough({ highWaterMark: 10 });
    const { transport } = open({ output });
    let isSent = false;
    const sending = transport.send(notification('x'.repeat(100)))?.then(() => (isSent = true));
    await new Promise(setImmediate);
    expect(isSent).toBe(false);
    output.resume();
    await sending;
    expect(isSent).toBe(true);
  });

  test('survives a reader that disconnects, and releases waiting senders', async () => {
    const output = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const { transport, ends, closed } = open({ output });
    await transport.send(notification('a'));
    await closed;
    expect(ends.map((error) => error?.message)).toEqual(['write EPIPE']);
    await expect(transport.send(notification('b'))).rejects.toThrow('The connection is closed');
  });

  test('stops reading while much output is unsent, and resumes when it is read', async () => {
    const output = new PassThrough();
    const { input, transport, messages } = open({ output });
    const answer = (id: RequestId): JsonRpcMessage => ({
      jsonrpc: '2.0',
      id,
      result: { text: 'x'.repeat(17 * 1024 * 1024) },
    });
    void transport.send(answer(1));
    input.write('1\n');
    await new Promise(setImmediate);
    input.write('2\n');
    await new Promise(setImmediate);
    expect(messages).toEqual([1]);
    output.resume();
    await new Promise<void>((resolve) => input.once('resume', resolve));
    await new Promise(setImmediate);
    expect(messages).toEqual([1, 2]);
  });

  test('closes after a slow reader has received all messages', async () => {
    const chunks: string[] = [];
    let takeChunk = (): void => undefined;
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(String(chunk));
        takeChunk = done;
      },
    });
    const { transport, ends } = open({ output });
    await transport.send(notification('last'));
    const closing = transport.close();
    await new Promise(setImmediate);
    expect(ends).toEqual([]);
    await expect(transport.send(notification('late'))).rejects.toThrow('The connection is closed');
    takeChunk();
    takeChunk();
    await closing;
    expect(ends).toEqual([undefined]);
    expect(chunks.join('')).toBe('{"jsonrpc":"2.0","method":"last"}\n');
  });

  test('waits at most 200 ms for a reader when it closes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { transport, ends } = open({ output: new Writable({ write: () => undefined }) });
    await transport.send(notification('unread'));
    const closing = transport.close();
    await vi.advanceTimersByTimeAsync(199);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(ends).toEqual([undefined]);
  });

  test('delivers nothing after close, and closes once', async () => {
    const { input, transport, messages, ends, closed } = open();
    await transport.close();
    await transport.close();
    await closed;
    input.write('{"late":1}\n');
    await new Promise(setImmediate);
    expect(messages).toEqual([]);
    expect(ends).toEqual([undefined]);
  });

  test('refuses a message that is not JSON without ending the connection', async () => {
    const { transport, ends } = open();
    await expect(
      transport.send({ jsonrpc: '2.0', method: 'x', params: { n: 1n } }),
    ).rejects.toThrow(TypeError);
    await transport.send(notification('y'));
    expect(ends).toEqual([]);
  });
});
