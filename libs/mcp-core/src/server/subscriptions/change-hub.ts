import type { ListKind } from '../../protocol/list-changes.ts';

/** Publishes changes of a server to every subscribed session and listen stream. */
export interface ChangeHub {
  /** Announces that the list of tools has changed. */
  toolsChanged(): void;
  /** Announces that the list of prompts has changed. */
  promptsChanged(): void;
  /** Announces that the list of resources has changed. */
  resourcesChanged(): void;
  /** Announces that the contents of a resource have changed. */
  resourceUpdated(uri: string): void;
}

/** A published change. */
export type Change =
  | { readonly kind: ListKind }
  | { readonly kind: 'resource'; readonly uri: string };

export interface ChangeListener {
  changed(change: Change): void;
}

/** Passes each published change to every listener synchronously. */
export class Changes implements ChangeHub {
  readonly #listeners = new Set<ChangeListener>();

  /** Number of listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  add(listener: ChangeListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: ChangeListener): void {
    this.#listeners.delete(listener);
  }

  toolsChanged(): void {
    this.#publish({ kind: 'tools' });
  }

  promptsChanged(): void {
    this.#publish({ kind: 'prompts' });
  }

  resourcesChanged(): void {
    this.#publish({ kind: 'resources' });
  }

  resourceUpdated(uri: string): void {
    this.#publish({ kind: 'resource', uri });
  }

  #publish(change: Change): void {
    for (const listener of this.#listeners) listener.changed(change);
  }
}

/** Returns the notification of a change. */
export function notificationOf(change: Change): {
  readonly method: string;
  readonly params: { readonly uri?: string };
} {
  return change.kind === 'resource'
    ? { method: 'notifications/resources/updated', params: { uri: change.uri } }
    : { method: `notifications/${change.kind}/list_changed`, params: {} };
}
