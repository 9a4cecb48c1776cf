import { customHandlerOf } from '../../era/specified-methods.ts';
import type { JsonObject, JsonRpcNotification } from '../../jsonrpc/messages.ts';
import type { MessageOrigin } from '../../jsonrpc/transport.ts';
import type { ClientOptions } from '../client-options.ts';
import type { ClientNotificationHandler } from '../extensions/notification-handler.ts';
import type { OriginatingRequest } from '../input/input-handlers.ts';
import type { SentRequest } from '../requests/active-request.ts';
import { readProgress } from '../requests/progress.ts';
import { readLogEntry } from './logging.ts';

/** Receives the notifications that do not belong to a request. */
export type NotificationListener = (notification: JsonRpcNotification) => void;

export interface RequestNotifications {
  /** Returns the active request with this progress token. */
  progressed(token: unknown): SentRequest | undefined;
  /** Returns whether the notification was handled. */
  cancelled(notification: JsonRpcNotification): boolean;
  /** Returns the request to which the notification belongs, where the transport or the notification says so. */
  originOf(
    notification: JsonRpcNotification,
    origin: MessageOrigin | undefined,
  ): OriginatingRequest | undefined;
}

/** Dispatches each notification of a server to its receivers, in order. A callback that throws affects no other receiver. */
export class NotificationDispatcher {
  readonly #options: ClientOptions;
  readonly #requests: RequestNotifications;
  readonly #custom: ReadonlyMap<string, ClientNotificationHandler>;
  readonly #listeners = new Set<NotificationListener>();

  constructor(options: ClientOptions, requests: RequestNotifications) {
    this.#options = options;
    this.#requests = requests;
    this.#custom = new Map(Object.entries(options.extensions?.notifications ?? {}));
  }

  /** Adds a listener. Returns the function that removes it. */
  listen(listener: NotificationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispatch(notification: JsonRpcNotification, origin?: MessageOrigin): void {
    const { method, params = {} } = notification;
    switch (method) {
      case 'notifications/progress':
        this.#progressed(params);
        break;
      case 'notifications/message':
        this.callBack(method, () =>
          this.#options.events?.onLog?.({
            ...readLogEntry(params),
            ...this.#originOf(notification, origin),
          }),
        );
        break;
      case 'notifications/cancelled':
        if (!this.#requests.cancelled(notification)) this.#publish(notification);
        break;
      case 'notifications/elicitation/complete':
        this.#publish(notification);
        this.#elicitationCompleted(method, params.elicitationId);
        break;
      default:
        this.#publish(notification);
        this.callBack(method, () =>
          customHandlerOf(this.#custom, method)?.(params, {
            method,
            ...this.#originOf(notification, origin),
          }),
        );
    }
  }

  /** Runs a callback of the host; reports its failure, also that of an async function, to `onProblem`. */
  callBack(occasion: string, callback: () => unknown): void {
    const failed = (cause: unknown): void => {
      this.#options.events?.onProblem?.(new Error(`A callback for ${occasion} failed`, { cause }));
    };
    try {
      const returned = callback();
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #originOf(
    notification: JsonRpcNotification,
    origin: MessageOrigin | undefined,
  ): { readonly request?: OriginatingRequest } {
    const request = this.#requests.originOf(notification, origin);
    return request === undefined ? {} : { request };
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
      this.#options.events?.onProblem?.(
        new Error('A callback for notifications/progress failed', { cause: error }),
      );
    }
  }

  #elicitationCompleted(method: string, elicitationId: unknown): void {
    if (typeof elicitationId === 'string')
      this.callBack(method, () => this.#options.events?.onElicitationComplete?.(elicitationId));
  }

  #publish(notification: JsonRpcNotification): void {
    for (const listener of this.#listeners)
      this.callBack(notification.method, () => listener(notification));
  }
}
