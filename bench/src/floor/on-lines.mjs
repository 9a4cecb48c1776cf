/**
 * Calls `onLine` with each line of a UTF-8 stream, its newline not included.
 * @param {import('node:stream').Readable} stream
 * @param {(line: string) => void} onLine
 */
export function onLines(stream, onLine) {
  /** @type {string[]} */
  let tail = [];
  stream.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
    // A long line comes in many chunks: it is put together once.
    if (!chunk.includes('\n')) {
      tail.push(chunk);
      return;
    }
    const lines = (tail.join('') + chunk).split('\n');
    tail = [lines.pop() ?? ''];
    for (const line of lines) onLine(line);
  });
}
