import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Icon } from './icons.ts';

/** The author of a message. */
export type Role = 'user' | 'assistant';

/** @see https://modelcontextprotocol.io/specification/2026-07-28/schema#annotations */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** 0 (least) to 1 (most important). */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

/** A content block with text. */
export interface TextContent {
  readonly type: 'text';
  readonly text: string;
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** `data` is base64. */
export interface ImageContent {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** `data` is base64. Encoded as text for 2024-11-05 peers. */
export interface AudioContent {
  readonly type: 'audio';
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** Contents of a resource as text. */
export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: JsonObject;
}

/** `blob` is base64. */
export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: JsonObject;
}

/** Contents of a resource, as text or as Base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** A content block with the contents of a resource. */
export interface EmbeddedResource {
  readonly type: 'resource';
  readonly resource: ResourceContents;
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** A link to a resource. Encoded as text for peers before 2025-06-18. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Size in bytes. */
  readonly size?: number;
  readonly icons?: readonly Icon[];
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | EmbeddedResource
  | ResourceLink;
