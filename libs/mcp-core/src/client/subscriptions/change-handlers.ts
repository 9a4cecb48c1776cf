import { type ListKind, listFilter } from '../../protocol/list-changes.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import type { WatchListener } from './watches.ts';

/** Handlers of changes on the server. The handlers that are present decide what the client subscribes to. Their failures are reported to `onProblem`. */
export interface ChangeHandlers {
  /** Called when the list of tools has changed. */
  readonly onToolsChanged?: (() => unknown) | undefined;
  /** Called when the list of prompts has changed. */
  readonly onPromptsChanged?: (() => unknown) | undefined;
  /** Called when the list of resources, or of resource templates, has changed. */
  readonly onResourcesChanged?: (() => unknown) | undefined;
  /** URIs of the resources whose updates `onResourceUpdated` receives. */
  readonly resources?: readonly string[] | undefined;
  /** Called with the URI of an updated resource: one of `resources`, or a part of it. */
  readonly onResourceUpdated?: ((uri: string) => unknown) | undefined;
  /**
   * Called when changes may have been missed, because a stream broke or the client was connected again. Default: calls every other handler,
   * `onResourceUpdated` with each of `resources`.
   */
  readonly onMissed?: (() => unknown) | undefined;
}

const LIST_HANDLERS = {
  tools: 'onToolsChanged',
  prompts: 'onPromptsChanged',
  resources: 'onResourcesChanged',
} as const satisfies { readonly [K in ListKind]: keyof ChangeHandlers };

const LISTS = ['tools', 'prompts', 'resources'] as const satisfies readonly ListKind[];

/** Returns the filter for the changes that have a handler. */
export function filterOf(handlers: ChangeHandlers): SubscriptionFilter {
  const { resources = [] } = handlers;
  return {
    ...listFilter((kind) => handlers[LIST_HANDLERS[kind]] !== undefined),
    ...(resources.length > 0 ? { resourceSubscriptions: resources } : {}),
  };
}

/** Passes changes on to their handlers. `callBack` runs each handler, so that a handler that fails affects no other. */
export function listenerOf(
  handlers: ChangeHandlers,
  callBack: (handler: () => unknown) => void,
): WatchListener {
  const { resources = [], onResourceUpdated, onMissed } = handlers;
  return {
    updated: (uri) => callBack(() => onResourceUpdated?.(uri)),
    listChanged: (kind) => callBack(() => handlers[LIST_HANDLERS[kind]]?.()),
    missed: () => {
      if (onMissed !== undefined) {
        callBack(onMissed);
        return;
      }
      for (const uri of resources) callBack(() => onResourceUpdated?.(uri));
      for (const kind of LISTS) callBack(() => handlers[LIST_HANDLERS[kind]]?.());
    },
  };
}
