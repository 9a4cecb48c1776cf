import type { SubscriptionFilter } from './resources.ts';

/** The lists whose changes a server can announce. */
export type ListKind = 'tools' | 'prompts' | 'resources';

const FLAGS = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

const KINDS: ReadonlyMap<string, ListKind> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/resources/list_changed', 'resources'],
]);

/** Returns the list that a notification reports as changed. */
export function changedList(method: string): ListKind | undefined {
  return KINDS.get(method);
}

/** Whether the filter includes changes of this list. */
export function includesList(filter: SubscriptionFilter, kind: ListKind): boolean {
  return filter[FLAGS[kind]] === true;
}

/** Returns the filter for the lists that are included. */
export function listFilter(isIncluded: (kind: ListKind) => boolean): SubscriptionFilter {
  const kinds = [...KINDS.values()].filter(isIncluded);
  return Object.fromEntries(kinds.map((kind) => [FLAGS[kind], true]));
}
