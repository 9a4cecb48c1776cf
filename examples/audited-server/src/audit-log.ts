import type { JsonObject } from '@signalbox/mcp-core';
import type { RequestContext, ServerMiddleware } from '@signalbox/mcp-core/server';

export interface AuditEntry {
  /** The authenticated principal, or `local` on stdio. */
  readonly caller: string;
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly target?: string;
  readonly outcome: 'ok' | 'failed' | 'needs-input';
}

/** Returns the caller as the transport authenticated it. Never the client's description of itself. */
export function callerOf({ auth }: RequestContext): string {
  return auth?.principal ?? 'local';
}

/** Passes an entry to `write` after each request of any method. */
export function auditLog(write: (entry: AuditEntry) => void): ServerMiddleware {
  return async ({ method, params, context }, next) => {
    const target = params['name'] ?? params['uri'];
    const record = (outcome: AuditEntry['outcome']): void => {
      write({
        caller: callerOf(context),
        method,
        ...(typeof target === 'string' && { target }),
        outcome,
      });
    };
    try {
      const result = await next();
      record(outcomeOf(result));
      return result;
    } catch (error) {
      record('failed');
      throw error;
    }
  };
}

function outcomeOf({ resultType, isError }: JsonObject): AuditEntry['outcome'] {
  if (resultType === 'input_required') return 'needs-input';
  return isError === true ? 'failed' : 'ok';
}
