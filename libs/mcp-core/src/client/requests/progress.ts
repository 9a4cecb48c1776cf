import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Progress } from '../../protocol/progress.ts';

/** Reads the params of `notifications/progress`; `undefined` without a numeric `progress`. */
export function readProgress({ progress, total, message }: JsonObject): Progress | undefined {
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}
