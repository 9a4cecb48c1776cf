import type { InboxItem } from '@signalbox/client';

/** An inbox item of a kind. */
export type ItemOf<Kind extends InboxItem['kind']> = Extract<InboxItem, { readonly kind: Kind }>;
