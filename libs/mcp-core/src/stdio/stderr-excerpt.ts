const MAX_LINES = 5;
const MAX_LINE_LENGTH = 400;
/** Number of meaningful lines at the end that are searched for an error. */
const SEARCHED_LINES = 12;

const NOISE = [
  // Braces and carets of printed objects and source lines.
  /^[\s{}[\]()^~,;|-]*$/,
  // Stack frames of Node and of Python, and the last line that Node writes.
  /^\s+at (?:async )?[\w.<[/(]/,
  /^\s+File ".*", line \d+/,
  /^Node\.js v\d/,
  // Location and statement of a crash of Node.
  /^(?:node:|file:\/\/|\/)\S+:\d+$/,
  /^\s+throw \w+/,
];
const ERROR_LINE =
  /(?:^|[\s:[(])(?:\w*(?:Error|Exception)\b|error\b|fatal\b|panic\b|npm ERR!|failed\b|cannot\b)/i;

/**
 * Selects at most five lines of a program's stderr that explain its failure: the error near the end
 * and the lines after it, without stack frames and braces; the last lines without an error.
 */
export function stderrExcerpt(lines: readonly string[]): readonly string[] {
  const useful = lines.filter((line) => !NOISE.some((noise) => noise.test(line)));
  const end = useful.slice(-SEARCHED_LINES);
  const first = end.findIndex((line) => ERROR_LINE.test(line));
  const excerpt = first < 0 ? end.slice(-MAX_LINES) : end.slice(first, first + MAX_LINES);
  return excerpt.map((line) =>
    line.trim().length > MAX_LINE_LENGTH
      ? `${line.trim().slice(0, MAX_LINE_LENGTH)}…`
      : line.trim(),
  );
}
