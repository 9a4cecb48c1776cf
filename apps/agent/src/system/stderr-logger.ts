import type { Config } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import { terminalJson, terminalLine } from '../text/terminal-text.ts';

export interface StderrLoggerOptions {
  /** Minimum level of written entries. */
  readonly level: Config['logLevel'];
  /** Default: `text`. */
  readonly format?: Config['logFormat'] | undefined;
}

/** Entries that could not be written since the start, and the reason of the last loss. */
interface Losses {
  readonly count: number;
  readonly reason: string;
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

interface Entry {
  readonly time: string;
  readonly level: Level;
  readonly message: string;
  readonly fields: object;
}

/**
 * Writes one line per entry. `text`: time, level, message, and fields as `name=value`; `json`: one
 * object. Terminal control characters are removed from messages and escaped in values.
 */
export function createStderrLogger(
  { level, format = 'text' }: StderrLoggerOptions,
  write: (line: string) => void,
  losses: () => Losses | undefined = () => undefined,
): Logger {
  const lineOf = format === 'json' ? jsonLine : textLine;
  let reported = 0;
  /** Returns a line about lost entries, once for each new loss. */
  const lossLine = (time: string): string => {
    const lost = losses();
    if (lost === undefined || lost.count === reported) return '';
    reported = lost.count;
    return `${lineOf({ time, level: 'warn', message: 'log entries were lost', fields: { count: lost.count, reason: lost.reason } })}\n`;
  };
  const log =
    (entryLevel: Level): Logger['info'] =>
    (message, fields = {}) => {
      if (LEVELS.indexOf(entryLevel) < LEVELS.indexOf(level)) return;
      const time = new Date().toISOString();
      write(`${lossLine(time)}${lineOf({ time, level: entryLevel, message, fields })}\n`);
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function textLine({ time, level, message, fields }: Entry): string {
  return `${time} ${level} ${terminalLine(message)}${Object.entries(fields)
    .map(([name, value]) => ` ${name}=${text(value)}`)
    .join('')}`;
}

/**
 * Returns an entry as JSON. The message is in `msg`, since a field may be named `message`; fields
 * do not replace the standard members.
 */
function jsonLine({ time, level, message, fields }: Entry): string {
  const values = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Error ? stackOf(value) : value,
  ]);
  const own = { time, level, msg: message };
  return terminalJson({ ...own, ...Object.fromEntries(values), ...own });
}

function text(value: unknown): string {
  if (value instanceof Error) return terminalJson(stackOf(value));
  return typeof value === 'string' && /^[^\s"=\p{Cc}\p{Bidi_Control}]+$/u.test(value)
    ? value
    : terminalJson(value);
}

function stackOf(error: Error): string {
  return error.stack ?? error.message;
}
