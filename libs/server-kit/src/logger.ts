/** Least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Diagnostics for the person who runs the server; never for the MCP client, never secrets. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface LoggerOptions {
  /** Takes one line with its newline; default writes to stderr. */
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

/** Writes one line `<ISO time> <level> <message>` for each message of `level` or above; line breaks and control characters in a message are escaped. */
export function createLogger(level: LogLevel, options: LoggerOptions = {}): Logger {
  const { write = writeToStderr, now = () => new Date() } = options;
  const threshold = LOG_LEVELS.indexOf(level);
  const at = (own: LogLevel) => (message: string) => {
    if (LOG_LEVELS.indexOf(own) < threshold) return;
    write(`${now().toISOString()} ${own} ${oneLine(message)}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * `text` with its line breaks written as `\n`, other control characters and the marks that reorder text as `\u001b`: what a client or a file is
 * called must not steer the terminal of whoever reads the log.
 */
export function oneLine(text: string): string {
  return text
    .replaceAll(/\r\n|[\n\r\u2028\u2029]/g, String.raw`\n`)
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}
