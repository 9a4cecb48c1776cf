/**
 * Calls `onLine` with each line of a UTF-8 stream, its newline not included.
 * @param {import('node:stream').Readable} stream
 * @param {(line: string) => void} onLine
 */
export function onLines(stream, onLine) {
  let tail = '';
  stream.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
    const lines = (tail + chunk).split('\n');
    tail = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}
