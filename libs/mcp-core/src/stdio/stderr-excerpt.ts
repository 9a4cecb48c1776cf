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

const USAGE = /^\s*usage\b/i;
const REFUSED_OPTION = /^flag provided but not defined\b|\b(?:unknown|invalid) (?:flag|option)\b/i;
/** Number of meaningful lines before a usage text that are searched for its cause. */
const LINES_BEFORE_USAGE = 3;

/**
 * Selects at most five lines of a program's stderr that explain its failure: the error near the end
 * and the lines after it, without stack frames and braces; the error before a usage text; the last
 * lines without an error.
 */
export function stderrExcerpt(lines: readonly string[]): readonly string[] {
  const useful = lines.filter((line) => !NOISE.some((noise) => noise.test(line)));
  const excerpt = causeOfUsage(useful) ?? errorNearEnd(useful);
  return excerpt.map((line) =>
    line.trim().length > MAX_LINE_LENGTH
      ? `${line.trim().slice(0, MAX_LINE_LENGTH)}…`
      : line.trim(),
  );
}

function errorNearEnd(lines: readonly string[]): readonly string[] {
  const end = lines.slice(-SEARCHED_LINES);
  const first = end.findIndex((line) => ERROR_LINE.test(line));
  return first < 0 ? end.slice(-MAX_LINES) : end.slice(first, first + MAX_LINES);
}

/** Returns the error directly before the last usage text, which some programs print after it. */
function causeOfUsage(lines: readonly string[]): readonly string[] | undefined {
  const usage = lines.findLastIndex((line) => USAGE.test(line));
  const before = lines.slice(Math.max(0, usage - LINES_BEFORE_USAGE), Math.max(0, usage));
  const first = before.findIndex((line) => ERROR_LINE.test(line) || REFUSED_OPTION.test(line));
  return first < 0 ? undefined : before.slice(first);
}
