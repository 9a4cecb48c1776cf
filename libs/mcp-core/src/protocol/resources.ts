import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Annotations, ResourceContents } from './content.ts';
import type { Icon } from './icons.ts';

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Size in bytes. */
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

/** A template for the URIs of resources (RFC 6570), as the server lists it. */
export interface ResourceTemplate {
  /** URI template of RFC 6570. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

/** Hints of a server about how long, and for whom, a result may be cached. */
export type CacheHints = {
  /** Milliseconds for which a client may reuse the result. Default: 0. */
  readonly ttlMs?: number;
  /** Default `private`. */
  readonly cacheScope?: 'public' | 'private';
};

/** A page of `resources/list`. */
export type ListResourcesResult = CacheHints & {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string;
};

/** A page of `resources/templates/list`. */
export type ListResourceTemplatesResult = CacheHints & {
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly nextCursor?: string;
};

/** The result of `resources/read`. */
export type ReadResourceResult = CacheHints & {
  readonly contents: readonly ResourceContents[];
};

/** Filter of a subscription, as in `subscriptions/listen`. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  /** Requires the tasks extension. */
  readonly taskIds?: readonly string[];
}
