import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import {
  isLoggingLevel,
  LOGGING_LEVELS,
  type LoggingLevel,
} from '../../protocol/logging-levels.ts';

/**
 * Serves `logging/setLevel`.
 * @throws ProtocolError -32602 for an unknown level
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
 */
export function setLevel(
  { level }: JsonObject,
  session: { setLogLevel(level: LoggingLevel): void } | undefined,
): JsonObject {
  if (!isLoggingLevel(level))
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `Invalid params: level must be one of ${LOGGING_LEVELS.join(', ')}`,
    );
  session?.setLogLevel(level);
  return {};
}

/** Returns the params of `notifications/message`. */
export function logParams(level: LoggingLevel, data: unknown, logger?: string): JsonObject {
  return { level, ...(logger === undefined ? {} : { logger }), data: data ?? null };
}
