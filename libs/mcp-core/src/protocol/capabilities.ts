import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Icon } from './icons.ts';

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

/** `{}` is a declaration: `elicitation: {}` means form mode. */
export interface ClientCapabilities {
  readonly experimental?: { readonly [key: string]: JsonObject };
  readonly roots?: { readonly listChanged?: boolean };
  readonly sampling?: { readonly context?: JsonObject; readonly tools?: JsonObject };
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  /** Core tasks, in 2025-11-25 only. */
  readonly tasks?: JsonObject;
  readonly extensions?: { readonly [key: string]: JsonObject };
}

export interface ServerCapabilities {
  readonly experimental?: { readonly [key: string]: JsonObject };
  readonly logging?: JsonObject;
  readonly completions?: JsonObject;
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
  /** Core tasks, in 2025-11-25 only. */
  readonly tasks?: JsonObject;
  readonly extensions?: { readonly [key: string]: JsonObject };
}

/** A capability a handler may ask for: the top-level name, or a mode below it. */
export type ClientCapability =
  | 'roots'
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'elicitation'
  | 'elicitation.form'
  | 'elicitation.url'
  | 'tasks';

export type LoggingLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency';

export interface Progress {
  /** Strictly increasing within one request. */
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export type Era = 'legacy' | 'modern';

/** Newest first; the last four are the legacy era. */
export const PROTOCOL_VERSIONS = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];
