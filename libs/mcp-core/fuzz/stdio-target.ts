import { PassThrough } from 'node:stream';
import { serveStdio } from '../src/stdio/serve-stdio.ts';
import { fuzzServer, MAX_LINE_BYTES } from './fuzz-server.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { Random } from './random.ts';

const NEWLINE = Buffer.from('\n');

/** Sends lines over a pair of streams, cut into chunks at inconvenient positions. */
export const stdioTarget: FuzzTarget = {
  name: 'stdio',
  isText: true,
  open: (answered) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const random = new Random(1);
    const served = serveStdio(fuzzServer(), { input, output, maxLineBytes: MAX_LINE_BYTES });
    let tail = '';
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (tail + chunk).split('\n');
      tail = lines.pop() ?? '';
      for (const line of lines) answered(JSON.parse(line));
    });
    return Promise.resolve({
      send: (messages) => {
        const bytes = Buffer.concat(messages.flatMap((message) => [message.bytes, NEWLINE]));
        for (let start = 0; start < bytes.length;) {
          const length = random.chance(3) ? 1 + random.below(20) : 1 + random.below(64 * 1024);
          input.write(bytes.subarray(start, start + length));
          start += length;
        }
      },
      close: async () => {
        input.end();
        await (
          await served
        ).closed;
      },
    });
  },
};
