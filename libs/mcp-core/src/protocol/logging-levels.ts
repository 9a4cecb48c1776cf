/** Severity of a log message, from RFC 5424. */
export type LoggingLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency';

/**
 * Logging levels, least severe first.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-levels
 */
export const LOGGING_LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return LOGGING_LEVELS.some((level) => level === value);
}

/** Whether a level is at least as severe as the threshold. */
export function isAtLeast(level: LoggingLevel, threshold: LoggingLevel): boolean {
  return LOGGING_LEVELS.indexOf(level) >= LOGGING_LEVELS.indexOf(threshold);
}
