import { LocalError } from '@signalbox/mcp-core';
import { HttpError } from '@signalbox/mcp-core/http/client';
import type { ServerLife } from './server-life.ts';

/** Milliseconds a server may take to answer the ping. */
const PING_MS = 10_000;

/** Pings servers after a lost call to find connections that ended unnoticed. */
export class ReachabilityCheck {
  readonly #onUnreachable: (life: ServerLife, error: LocalError) => void;
  #checked: ServerLife | undefined;

  constructor(onUnreachable: (life: ServerLife, error: LocalError) => void) {
    this.#onUnreachable = onUnreachable;
  }

  /** Begins a check, unless the connection is being checked already. */
  begin(life: ServerLife): void {
    if (this.#checked === life) return;
    this.#checked = life;
    const settle = (error?: unknown): void => {
      this.#checked = undefined;
      if (isUnreachable(error)) this.#onUnreachable(life, error);
    };
    life.connection.client
      .ping({ timeoutMs: PING_MS, maxTotalMs: PING_MS })
      .then(() => settle(), settle);
  }
}

/**
 * Whether a ping failed for lack of a connection. An HTTP status is an answer, and a silent server
 * may be busy.
 */
function isUnreachable(error: unknown): error is LocalError {
  if (!(error instanceof LocalError) || error.code === 'request-timeout') return false;
  return !(error.cause instanceof HttpError) || error.cause.isSessionLost;
}
