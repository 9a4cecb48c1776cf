import type { Tool } from '@signalbox/mcp-core';
import {
  defineResource,
  type ServerMiddleware,
  type ServerOptions,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import {
  isVisibleTo,
  supportsViews,
  type ToolUi,
  UI_EXTENSION,
  UI_MIME_TYPE,
  uiOf,
  type ViewUi,
} from './ui-extension.ts';

/** An HTML page that a host shows for the results of a tool. */
export interface View {
  readonly uri: `ui://${string}`;
  readonly name: string;
  readonly description?: string;
  /** A complete HTML document. */
  readonly html: string;
  readonly ui?: ViewUi;
}

/** Links a tool to a view, or makes it callable by views only. */
export function withUi(tool: ToolDefinition, ui: ToolUi): ToolDefinition {
  const { _meta: meta } = tool;
  return { ...tool, _meta: { ...meta, ui } };
}

/**
 * Returns the options of a server whose tools are linked to views.
 * @throws Error when a tool is linked to a view that is not given.
 */
export function serveViews(
  views: readonly View[],
  tools: readonly ToolDefinition[],
): Pick<ServerOptions, 'extensions' | 'resources' | 'tools'> {
  const known = new Set<string>(views.map(({ uri }) => uri));
  for (const tool of tools) {
    const { resourceUri } = uiOf(tool);
    if (resourceUri !== undefined && !known.has(resourceUri))
      throw new Error(`The tool ${tool.name} is linked to ${resourceUri}, which is not a view`);
  }
  return {
    extensions: {
      capabilities: { extensions: { [UI_EXTENSION]: {} } },
      middleware: [adaptToolList],
    },
    tools,
    resources: views.map(({ html, ui, ...view }) =>
      defineResource({
        ...view,
        mimeType: UI_MIME_TYPE,
        read: () => [
          {
            uri: view.uri,
            mimeType: UI_MIME_TYPE,
            text: html,
            ...(ui === undefined ? {} : { _meta: { ui } }),
          },
        ],
      }),
    ),
  };
}

/** Lists the tools without their views for a client that cannot show views. */
const adaptToolList: ServerMiddleware = async ({ method, context }, next) => {
  const result = await next();
  if (method !== 'tools/list') return result;
  // The list of this server.
  const tools = result.tools as readonly Tool[];
  return {
    ...result,
    tools: supportsViews(context.client.extensions) ? tools : tools.flatMap(withoutUi),
    // The list depends on the client.
    cacheScope: 'private',
  };
};

function withoutUi(tool: Tool): readonly Tool[] {
  if (!isVisibleTo('model', tool)) return [];
  const { _meta: { ui: _ui, ...meta } = {}, ...rest } = tool;
  return [Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }];
}
