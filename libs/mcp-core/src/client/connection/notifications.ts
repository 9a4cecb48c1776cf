import type { JsonObject, JsonRpcNotification } from '../../jsonrpc/messages.ts';
import type { Progress } from '../../protocol/progress.ts';
import { isLoggingLevel } from '../../protocol/logging-levels.ts';
import type { SentRequest } from '../requests/active-request.ts';
import type { ClientOptions, LogEntry } from '../client-options.ts';

/** Hears a notification that is not about a request. */
export type NotificationListener = (notification: JsonRpcNotification) => void;

export interface RequestNotifications {
  /** The running request that made progress. */
  progressed(token: unknown): SentRequest | undefined;
  /** Whether the notification is dealt with. */
  cancelled(notification: JsonRpcNotification): boolean;
}

/** Passes each notification of a server to who waits for it, in order. A callback that fails harms nobody else. */
export class NotificationDispatch {
  readonly #options: ClientOptions;
  readonly #requests: RequestNotifications;
  readonly #listeners = new Set<NotificationListener>();

  constructor(options: ClientOptions, requests: RequestNotifications) {
    this.#options = options;
    this.#requests = requests;
  }

  listen(listener: NotificationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispatch(notification: JsonRpcNotification): void {
    const { method, params = {} } = notification;
    switch (method) {
      case 'notifications/progress':
        this.#progressed(params);
        break;
      case 'notifications/message':
        this.callBack(method, () => this.#options.onLog?.(readLogEntry(params)));
        break;
      case 'notifications/cancelled':
        if (!this.#requests.cancelled(notification)) this.#tell(notification);
        break;
      case 'notifications/elicitation/complete':
        this.#tell(notification);
        this.#elicitationCompleted(method, params.elicitationId);
        break;
      default:
        this.#tell(notification);
        this.callBack(method, () => this.#listChanged(method));
    }
  }

  callBack(occasion: string, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#options.onProblem?.(new Error(`A callback for ${occasion} failed`, { cause: error }));
    }
  }

  #progressed(params: JsonObject): void {
    const progress = readProgress(params);
    const onProgress =
      progress === undefined
        ? undefined
        : this.#requests.progressed(params.progressToken)?.options.onProgress;
    if (progress === undefined || onProgress === undefined) return;
    try {
      onProgress(progress);
    } catch (error) {
      this.#options.onProblem?.(
        new Error('A callback for notifications/progress failed', { cause: error }),
      );
    }
  }

  #listChanged(method: string): void {
    if (method === 'notifications/tools/list_changed') this.#options.onToolsChanged?.();
    else if (method === 'notifications/resources/list_changed')
      this.#options.onResourcesChanged?.();
    else if (method === 'notifications/prompts/list_changed') this.#options.onPromptsChanged?.();
  }

  #elicitationCompleted(method: string, elicitationId: unknown): void {
    if (typeof elicitationId === 'string')
      this.callBack(method, () => this.#options.onElicitationComplete?.(elicitationId));
  }

  #tell(notification: JsonRpcNotification): void {
    for (const listener of this.#listeners)
      this.callBack(notification.method, () => listener(notification));
  }
}

function readProgress({ progress, total, message }: JsonObject): Progress | undefined {
  if (typeof progress !== 'number') {
    return undefined;
  }
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

/** An unknown level is read as `info`. */
function readLogEntry(params: JsonObject): LogEntry {
  const { level, logger, data } = params;
  return {
    level: isLoggingLevel(level) ? level : 'info',
    ...(typeof logger === 'string' ? { logger } : {}),
    data,
  };
}
