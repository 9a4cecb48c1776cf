import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { OriginatingRequest } from '../input/input-handlers.ts';
import { isLoggingLevel, type LoggingLevel } from '../../protocol/logging-levels.ts';

/** A log message of a server. */
export interface LogEntry {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
  /** The request that caused the message. Absent where the protocol does not say: on stdio, and over HTTP outside the stream of a request. */
  readonly request?: OriginatingRequest;
}

/** Reads the params of `notifications/message`; an unknown level becomes `info`. */
export function readLogEntry({ level, logger, data }: JsonObject): LogEntry {
  return {
    level: isLoggingLevel(level) ? level : 'info',
    ...(typeof logger === 'string' ? { logger } : {}),
    data,
  };
}
