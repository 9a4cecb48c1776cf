import type { Config } from './config/config.ts';
import type { Logger } from './ports/logger.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Writes one line an entry: time, level, message, then the fields as `name=value`. Line breaks in values are escaped. */
export function createStderrLogger(level: Config['logLevel'], write: (line: string) => void): Logger {
  const log = (entryLevel: (typeof LEVELS)[number]): Logger['info'] => (message, fields = {}) => {
    if (LEVELS.indexOf(entryLevel) < LEVELS.indexOf(level)) return;
    const values = Object.entries(fields).map(([name, value]) => ` ${name}=${text(value)}`);
    write(`${new Date().toISOString()} ${entryLevel} ${oneLine(message)}${values.join('')}\n`);
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function text(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.stack ?? value.message);
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function oneLine(message: string): string {
  return message.replaceAll(/[\r\n]+/g, ' ');
}
