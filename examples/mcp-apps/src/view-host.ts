import type { ResourceContents, Tool } from '@signalbox/mcp-core';
import type { Client, ClientOptions } from '@signalbox/mcp-core/client';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { isVisibleTo, UI_EXTENSION, UI_MIME_TYPE, uiOf, type ViewUi } from './ui-extension.ts';
import {
  type ShownCall,
  ViewConnection,
  type ViewEvents,
  type ViewPort,
} from './view-connection.ts';

/** The capabilities of a host that shows views. */
export const viewCapabilities: NonNullable<ClientOptions['capabilities']> = {
  extensions: { [UI_EXTENSION]: { mimeTypes: [UI_MIME_TYPE] } },
};

/** A page to show in a sandboxed iframe of another origin. */
export interface LoadedView {
  readonly html: string;
  /** `Content-Security-Policy` that the iframe must have. */
  readonly policy: string;
  readonly prefersBorder: boolean | undefined;
}

/** Returns the tools that the model may call. */
export function modelTools(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter((tool) => isVisibleTo('model', tool));
}

/**
 * Loads the view of a tool; `undefined` for a tool without one.
 * @throws Error for contents that are not HTML of the extension.
 */
export async function loadView(client: Client, tool: Tool): Promise<LoadedView | undefined> {
  const { resourceUri } = uiOf(tool);
  if (typeof resourceUri !== 'string') return undefined;
  const [content] = resourceUri.startsWith('ui://') ? await client.readResource(resourceUri) : [];
  if (content?.mimeType !== UI_MIME_TYPE)
    throw new Error(`${resourceUri} is not a view of type ${UI_MIME_TYPE}`);
  const { _meta: { ui = {} } = {} } = content;
  // A server may send anything; the policy checks the members.
  const declared = ui as ViewUi;
  return {
    html: textOf(content),
    policy: contentSecurityPolicy(declared),
    prefersBorder: declared.prefersBorder,
  };
}

/** Connects a view that is shown for a call to the server of the call. */
export async function connectView(
  client: Client,
  call: ShownCall,
  { port, events }: { readonly port: ViewPort; readonly events: ViewEvents },
): Promise<ViewConnection> {
  const tools = await client.listTools();
  return new ViewConnection({ client, call, tools, port, events });
}

function textOf(content: ResourceContents): string {
  if ('text' in content) return content.text;
  return Buffer.from(content.blob, 'base64').toString();
}
