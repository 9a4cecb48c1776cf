import type { Config } from './config/config.ts';
import type { Logger } from './ports/logger.ts';
import { terminalJson, terminalLine } from './terminal-text.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Writes one line an entry: time, level, message, then the fields as `name=value`. What could steer a terminal is left out of messages and escaped in values. */
export function createStderrLogger(level: Config['logLevel'], write: (line: string) => void): Logger {
  const log = (entryLevel: (typeof LEVELS)[number]): Logger['info'] => (message, fields = {}) => {
    if (LEVELS.indexOf(entryLevel) < LEVELS.indexOf(level)) return;
    const values = Object.entries(fields).map(([name, value]) => ` ${name}=${text(value)}`);
    write(`${new Date().toISOString()} ${entryLevel} ${terminalLine(message)}${values.join('')}\n`);
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function text(value: unknown): string {
  if (value instanceof Error) return terminalJson(value.stack ?? value.message);
  return typeof value === 'string' && /^[^\s"=\p{Cc}\p{Bidi_Control}]+$/u.test(value) ? value : terminalJson(value);
}
