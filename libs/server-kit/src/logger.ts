/** Log levels, least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
/** Severity of a log line. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Diagnostics for the operator of the server; never for the MCP client, never with secrets. */
export interface Logger {
  /** Logs a detail for debugging. */
  debug(message: string): void;
  /** Logs an event of normal operation. */
  info(message: string): void;
  /** Logs a problem that the server can handle. */
  warn(message: string): void;
  /** Logs a failure. */
  error(message: string): void;
}

/** Options of `createLogger`. */
export interface LoggerOptions {
  /** Receives one line with its newline; default: writes to stderr. */
  readonly write?: ((line: string) => void) | undefined;
  /** Returns the time of a line; default: the current time. */
  readonly now?: (() => Date) | undefined;
}

/**
 * Creates a logger that writes one line `<ISO time> <level> <message>` for each message of `level`
 * or above, with line breaks and control characters escaped.
 */
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
 * Escapes line breaks as `\n`, and other control characters and marks that reorder text as
 * `\u001b`, so that the name of a client or a file cannot control the terminal of a reader.
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
