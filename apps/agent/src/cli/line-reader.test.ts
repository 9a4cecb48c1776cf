import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

const signal = new AbortController().signal;

function reader(isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  let written = '';
  output.setEncoding('utf8').on('data', (text: string) => void (written += text));
  // Only what a terminal has beside a stream is left out.
  const lines = new LineReader({
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    onInterrupt: () => undefined,
  });
  return { input, lines, written: () => written };
}

test.each([true, false])(
  'lines typed ahead answer the next prompts and are echoed beside them (terminal: %j)',
  async (isTTY) => {
    const { input, lines, written } = reader(isTTY);
    const first = lines.ask('one? ', signal);
    input.write('a\nb\nc\n');
    expect([
      await first,
      await lines.ask('two? ', signal),
      await lines.ask('three? ', signal),
    ]).toEqual(['a', 'b', 'c']);
    expect(written()).toContain('two? b\nthree? c\n');
  },
);

test('the beginning of a line typed ahead begins the next answer', async () => {
  const { input, lines } = reader();
  const first = lines.ask('one? ', signal);
  input.write('a\nbeg');
  expect(await first).toBe('a');
  const second = lines.ask('two? ', signal);
  input.write('un\n');
  expect(await second).toBe('begun');
});

test('the input of a hidden prompt is not echoed', async () => {
  const { input, lines, written } = reader();
  const answer = lines.ask('secret? ', signal, { isHidden: true });
  input.write('hush\n');
  expect(await answer).toBe('hush');
  expect(written()).toContain('secret? ');
  expect(written()).not.toContain('hush');
});

test('an aborted prompt and the end of the input return no answer', async () => {
  const { input, lines } = reader();
  const stop = new AbortController();
  const aborted = lines.ask('one? ', stop.signal);
  stop.abort();
  expect(await aborted).toBeUndefined();
  const ended = lines.ask('two? ', signal);
  input.end();
  expect(await ended).toBeUndefined();
});
