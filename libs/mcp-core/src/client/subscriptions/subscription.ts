import type { SubscriptionFilter } from '../../protocol/resources.ts';

export type ListKind = 'tools' | 'prompts' | 'resources';

/** Hears what a subscription brings. */
export interface SubscriptionListener {
  updated(uri: string): void;
  listChanged(kind: ListKind): void;
}

/** How a subscription ended without being closed here. `broken`: it may be opened again. */
export interface SubscriptionEnd {
  readonly reason: Error;
  readonly isBroken: boolean;
}

/** A subscription on one connection. */
export interface Subscription {
  /** The part of the filter the server honours. */
  readonly filter: SubscriptionFilter;
  close(): Promise<void>;
}

const LIST_NOTIFICATIONS: ReadonlyMap<string, ListKind> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/resources/list_changed', 'resources'],
]);

/** Which list a notification says has changed. */
export function changedList(method: string): ListKind | undefined {
  return LIST_NOTIFICATIONS.get(method);
}

/** Whether the filter asks for changes of this list. */
export function includesList(filter: SubscriptionFilter, kind: ListKind): boolean {
  switch (kind) {
    case 'tools':
      return filter.toolsListChanged === true;
    case 'prompts':
      return filter.promptsListChanged === true;
    case 'resources':
      return filter.resourcesListChanged === true;
    default:
      return kind satisfies never;
  }
}
