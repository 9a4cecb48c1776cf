import type { SubscriptionFilter } from '../../protocol/resources.ts';

export type ListKind = 'tools' | 'prompts' | 'resources';

/** Receives the changes of a subscription. */
export interface SubscriptionListener {
  updated(uri: string): void;
  listChanged(kind: ListKind): void;
}

/** The end of a subscription that was not closed locally. */
export interface SubscriptionEnd {
  readonly reason: Error;
  /** Whether it may be opened again. */
  readonly isBroken: boolean;
}

/** A subscription on one connection. */
export interface Subscription {
  /** The part of the filter that the server accepted. */
  readonly filter: SubscriptionFilter;
  close(): Promise<void>;
}

const LIST_NOTIFICATIONS: ReadonlyMap<string, ListKind> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/resources/list_changed', 'resources'],
]);

/** Returns the list that a notification reports as changed. */
export function changedList(method: string): ListKind | undefined {
  return LIST_NOTIFICATIONS.get(method);
}

/** Whether the filter includes changes of this list. */
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
