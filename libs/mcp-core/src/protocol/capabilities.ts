import type { JsonObject } from '../jsonrpc/messages.ts';

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

/** Capabilities that a server declares, as in the specification. */
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

/** Capabilities that the specification names but does not define. */
export interface CustomCapabilities {
  /** Extensions by their prefixed name, with their settings. */
  readonly extensions?: { readonly [name: string]: JsonObject } | undefined;
  /** Experimental capabilities by name. */
  readonly experimental?: { readonly [name: string]: JsonObject } | undefined;
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
