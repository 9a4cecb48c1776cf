import type { JsonObject, Tool } from '@signalbox/mcp-core';

/** @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
export const UI_VERSION = '2026-01-26';
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';

/** The members of `_meta.ui` of a tool. */
export interface ToolUi {
  /** URI of the view that shows the results of the tool. */
  readonly resourceUri?: string;
  /** Callers of the tool. Default: both. */
  readonly visibility?: readonly ('model' | 'app')[];
}

/** The members of `_meta.ui` of a view. */
export interface ViewUi {
  /** Origins that the view may use; default none. */
  readonly csp?: {
    readonly connectDomains?: readonly string[];
    readonly resourceDomains?: readonly string[];
    readonly frameDomains?: readonly string[];
    readonly baseUriDomains?: readonly string[];
  };
  readonly prefersBorder?: boolean;
}

/** Whether the declared extensions of a client include views in HTML. */
export function supportsViews(extensions: { readonly [name: string]: JsonObject }): boolean {
  const { mimeTypes } = extensions[UI_EXTENSION] ?? {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(UI_MIME_TYPE);
}

/** Returns `_meta.ui` of a tool; empty without one. */
export function uiOf({ _meta: meta = {} }: Pick<Tool, '_meta'>): ToolUi {
  // Members are checked where they are used: a server may send anything.
  return typeof meta.ui === 'object' && meta.ui !== null ? meta.ui : {};
}

/** Whether the model, or the view, may call a tool. */
export function isVisibleTo(caller: 'model' | 'app', tool: Pick<Tool, '_meta'>): boolean {
  const { visibility } = uiOf(tool);
  return !Array.isArray(visibility) || visibility.includes(caller);
}
