import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { includesList, type ListKind, listFilter } from '../../protocol/list-changes.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';

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

/** Returns the filter without the lists whose changes the server does not announce. */
export function announcedPart(
  filter: SubscriptionFilter,
  capabilities: ServerCapabilities,
): SubscriptionFilter {
  const { resourceSubscriptions } = filter;
  return {
    ...listFilter((kind) => includesList(filter, kind) && capabilities[kind]?.listChanged === true),
    ...(resourceSubscriptions === undefined ? {} : { resourceSubscriptions }),
  };
}

/** Whether the URI is the watched resource or part of it. */
export function covers(watched: string, uri: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);
}
